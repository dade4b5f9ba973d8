//! The window of the program: eframe around [`Cockpit`].

use fonds::app::{Settings, Workspaces};
use fonds::jobs::make_private_folder;
use fonds::ui::Cockpit;
use std::path::PathBuf;
use std::sync::Arc;

/// Key of the settings in the storage of eframe.
const SETTINGS: &str = "settings";
/// Name of the program, and of the folder with its settings.
const APP: &str = "fonds";

struct Window(Cockpit);

impl eframe::App for Window {
    fn logic(&mut self, ctx: &eframe::egui::Context, _: &mut eframe::Frame) {
        self.0.logic(ctx);
    }

    fn ui(&mut self, ui: &mut eframe::egui::Ui, _: &mut eframe::Frame) {
        self.0.ui(ui);
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, SETTINGS, self.0.settings());
    }
}

/// Opens the window, on `folder` when one is named, and waits for its end.
pub fn open(folder: Option<PathBuf>, opener: Arc<Workspaces>) -> anyhow::Result<()> {
    // Settings name workspaces and persons.
    if let Some(folder) = eframe::storage_dir(APP)
        && let Err(error) = make_private_folder(&folder)
    {
        tracing::warn!("{}: {error}", folder.display());
    }
    let viewport = eframe::egui::ViewportBuilder::default()
        .with_app_id(APP)
        .with_title("Fonds")
        .with_inner_size([1280.0, 800.0])
        // 1280×800 at 200 %: a window is never larger than its screen.
        .with_min_inner_size([640.0, 400.0]);
    let options = eframe::NativeOptions { viewport, ..Default::default() };
    let start = move |cx: &eframe::CreationContext<'_>| {
        let settings: Settings =
            cx.storage.and_then(|storage| eframe::get_value(storage, SETTINGS)).unwrap_or_default();
        let cockpit = Cockpit::new(&cx.egui_ctx, opener, settings, folder)?;
        Ok(Box::new(Window(cockpit)) as Box<dyn eframe::App>)
    };
    eframe::run_native(APP, options, Box::new(start)).map_err(|error| anyhow::anyhow!("{error}"))
}
