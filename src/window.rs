//! The window of the program: eframe around [`Cockpit`].

use eframe::egui::Context;
use fonds::app::{Settings, Workspaces};
use fonds::jobs::make_private_folder;
use fonds::ui::{Cockpit, Gallery};
use std::path::PathBuf;
use std::sync::Arc;

/// Key of the settings in the storage of eframe.
const SETTINGS: &str = "settings";
/// Name of the program, and of the folder with its settings.
const APP: &str = "fonds";

/// Key of what egui keeps of the layout: heights of panels, what is folded.
const LAYOUT: &str = "layout";
/// Key under which eframe keeps all that egui knows.
const EGUI: &str = "egui";

/// Environment variable that shows the widgets in the place of the program, for who draws them.
const GALLERY: &str = "FONDS_GALLERY";

struct Window {
    cockpit: Cockpit,
    gallery: Option<Gallery>,
    context: Context,
}

impl eframe::App for Window {
    fn logic(&mut self, ctx: &Context, _: &mut eframe::Frame) {
        self.cockpit.logic(ctx);
    }

    fn ui(&mut self, ui: &mut eframe::egui::Ui, _: &mut eframe::Frame) {
        match &mut self.gallery {
            Some(gallery) => gallery.ui(ui),
            None => self.cockpit.ui(ui),
        }
    }

    /// False: the memory has the scale too, which eframe takes unchecked when it makes the window: a scale
    /// that is no number, or far too large, ends the program at each start.
    fn persist_egui_memory(&self) -> bool {
        false
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, SETTINGS, self.cockpit.settings());
        self.context.memory(|memory| eframe::set_value(storage, LAYOUT, &memory.data));
        // What an earlier version of the program left there.
        storage.remove_string(EGUI);
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
        if let Some(layout) = cx.storage.and_then(|storage| eframe::get_value(storage, LAYOUT)) {
            cx.egui_ctx.memory_mut(|memory| memory.data = layout);
        }
        let cockpit = Cockpit::new(&cx.egui_ctx, opener, settings, folder)?;
        let gallery = match std::env::var_os(GALLERY) {
            Some(_) => Some(Gallery::new(Arc::new(|| {}))?),
            None => None,
        };
        Ok(Box::new(Window { cockpit, gallery, context: cx.egui_ctx.clone() }) as Box<dyn eframe::App>)
    };
    eframe::run_native(APP, options, Box::new(start)).map_err(|error| anyhow::anyhow!("{error}"))
}
