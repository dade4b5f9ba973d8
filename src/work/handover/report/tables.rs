//! Macros write the tables of messages: each message with all its translations.

/// Makes a method of [`ReportLanguage`] of each message.
macro_rules! messages {
    ($($name:ident($($value:ident),*) {
        en $en:literal pt $pt:literal es $es:literal fr $fr:literal de $de:literal
    })*) => {
        impl ReportLanguage {
            $(pub(in crate::work::handover) fn $name(self, $($value: &str),*) -> String {
                match self {
                    Self::En => format!($en),
                    Self::Pt => format!($pt),
                    Self::Es => format!($es),
                    Self::Fr => format!($fr),
                    Self::De => format!($de),
                }
            })*
        }

        #[cfg(test)]
        pub(super) const MESSAGES: &[(&str, [&str; 5])] = &[$((stringify!($name), [$en, $pt, $es, $fr, $de])),*];
    };
}

/// Makes a method of each thing that is counted: `133 captures`.
macro_rules! counts {
    ($($name:ident($n:ident) {
        en $en:literal $en_many:literal pt $pt:literal $pt_many:literal es $es:literal $es_many:literal
        fr $fr:literal $fr_many:literal de $de:literal $de_many:literal
    })*) => {
        impl ReportLanguage {
            $(pub(in crate::work::handover) fn $name(self, count: u64) -> String {
                let $n = self.number(count);
                match (self, self.is_one(count)) {
                    (Self::En, true) => format!($en),
                    (Self::En, false) => format!($en_many),
                    (Self::Pt, true) => format!($pt),
                    (Self::Pt, false) => format!($pt_many),
                    (Self::Es, true) => format!($es),
                    (Self::Es, false) => format!($es_many),
                    (Self::Fr, true) => format!($fr),
                    (Self::Fr, false) => format!($fr_many),
                    (Self::De, true) => format!($de),
                    (Self::De, false) => format!($de_many),
                }
            })*
        }

        #[cfg(test)]
        pub(super) const COUNTS: &[(&str, [&str; 5])] =
            &[$((stringify!($name), [$en_many, $pt_many, $es_many, $fr_many, $de_many])),*];
    };
}

pub(super) use {counts, messages};
