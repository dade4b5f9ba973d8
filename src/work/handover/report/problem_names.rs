//! Problems of an export are named in every language; the messages of the program beside them are
//! English.

use super::tables::messages;
use crate::campaign::ReportLanguage;

messages! {
    program_message() {
        en "Message of the program" pt "Mensagem do programa (em inglês)" es "Mensaje del programa (en inglés)"
        fr "Message du programme (en anglais)" de "Meldung des Programms (englisch)"
    }
    evidence_problem() {
        en "Evidence of a permission is not there" pt "Falta o comprovativo de uma autorização"
        es "Falta la prueba de una autorización" fr "Le justificatif d’une autorisation manque"
        de "Der Nachweis einer Genehmigung fehlt"
    }
    same_record_problem() {
        en "A record stood twice; it is written once" pt "Um registo existia duas vezes; está escrito uma só vez"
        es "Un registro figuraba dos veces; se ha escrito una sola vez"
        fr "Un enregistrement figurait deux fois ; il est écrit une seule fois"
        de "Ein Record war zweimal vorhanden; er ist einmal geschrieben"
    }
    same_id_problem() {
        en "Two records had the same identifier; one has a new one"
        pt "Dois registos tinham o mesmo identificador; um deles recebeu um novo"
        es "Dos registros tenían el mismo identificador; uno ha recibido otro nuevo"
        fr "Deux enregistrements avaient le même identifiant ; l’un en a reçu un nouveau"
        de "Zwei Records hatten dieselbe Kennung; einer hat eine neue"
    }
    no_id_problem() {
        en "A record had no identifier; it has a new one" pt "Um registo não tinha identificador; recebeu um novo"
        es "Un registro no tenía identificador; ha recibido uno nuevo"
        fr "Un enregistrement n’avait pas d’identifiant ; il en a reçu un"
        de "Ein Record hatte keine Kennung; er hat eine neue"
    }
    digest_problem() {
        en "A checksum did not fit the content; the content is unchanged, the checksum is corrected"
        pt "Uma soma de verificação não correspondia ao conteúdo; o conteúdo não mudou, a soma foi corrigida"
        es "Una suma de comprobación no correspondía al contenido; el contenido no ha cambiado, la suma se ha corregido"
        fr "Une somme de contrôle ne correspondait pas au contenu ; le contenu est inchangé, la somme est corrigée"
        de "Eine Prüfsumme passte nicht zum Inhalt; der Inhalt ist unverändert, die Prüfsumme berichtigt"
    }
    unknown_digest_problem() {
        en "A checksum named no known algorithm; the content is unchanged, its SHA-1 is written"
        pt "Uma soma de verificação não indicava um algoritmo conhecido; o conteúdo não mudou, o seu SHA-1 foi escrito"
        es "Una suma de comprobación no indicaba un algoritmo conocido; el contenido no ha cambiado, se ha escrito su SHA-1"
        fr "Une somme de contrôle ne nommait aucun algorithme connu ; le contenu est inchangé, son SHA-1 est écrit"
        de "Eine Prüfsumme nannte kein bekanntes Verfahren; der Inhalt ist unverändert, seine SHA-1 steht dabei"
    }
    date_problem() {
        en "A date was written unusually; it is written as the standard has it"
        pt "Uma data estava escrita de forma invulgar; está escrita segundo a norma"
        es "Una fecha estaba escrita de forma inusual; se ha escrito según la norma"
        fr "Une date était écrite de façon inhabituelle ; elle est écrite selon la norme"
        de "Ein Datum war ungewöhnlich geschrieben; es steht nun, wie die Norm es vorsieht"
    }
    target_problem() {
        en "The URL of a record is written unusually; what it means is kept" pt "O URL de um registo está escrito de forma invulgar; o seu sentido foi mantido"
        es "La URL de un registro está escrita de forma inusual; su sentido se ha mantenido"
        fr "L’URL d’un enregistrement est écrite de façon inhabituelle ; son sens est conservé"
        de "Die URL eines Records ist ungewöhnlich geschrieben; ihr Sinn ist unverändert"
    }
    warcinfo_problem() {
        en "The description of an archive file (warcinfo) is missing" pt "Falta a descrição de um ficheiro do arquivo (warcinfo)"
        es "Falta la descripción de un archivo WARC (warcinfo)"
        fr "La description d’un fichier d’archive (warcinfo) manque"
        de "Die Beschreibung einer Archivdatei (warcinfo) fehlt"
    }
    no_record_problem() {
        en "A capture has no records" pt "Uma captura não tem registos" es "Una captura no tiene registros"
        fr "Une capture n’a pas d’enregistrements" de "Eine Aufnahme hat keine Records"
    }
    unlisted_problem() {
        en "Further problems are not listed" pt "Outros problemas não estão indicados" es "Otros problemas no se indican"
        fr "D’autres problèmes ne sont pas indiqués" de "Weitere Probleme sind nicht aufgeführt"
    }
    other_problem() {
        en "Something could not be carried along as it was" pt "Algo não pôde ser levado tal como estava"
        es "Algo no se pudo llevar tal como estaba" fr "Un élément n’a pas pu être emporté tel quel"
        de "Etwas konnte nicht unverändert mitgenommen werden"
    }
}

/// The subject of a message of an export, by its English text: messages are texts where they come
/// from, and the first part that fits counts.
pub(super) fn problem_name(language: ReportLanguage, message: &str) -> String {
    type Name = fn(ReportLanguage) -> String;
    const NAMES: [(&str, Name); 12] = [
        ("evidence", ReportLanguage::evidence_problem),
        ("in several places: ", ReportLanguage::same_record_problem),
        ("another record has this record's id", ReportLanguage::same_id_problem),
        ("without an id: a new one is written", ReportLanguage::no_id_problem),
        ("does not fit the bytes", ReportLanguage::digest_problem),
        ("with a digest of no algorithm", ReportLanguage::unknown_digest_problem),
        ("with a date in a form", ReportLanguage::date_problem),
        ("with a blank in a URI", ReportLanguage::target_problem),
        ("with the target URI in angle brackets", ReportLanguage::target_problem),
        ("named the warcinfo record", ReportLanguage::warcinfo_problem),
        ("the capture has no records", ReportLanguage::no_record_problem),
        ("further problems are not listed", ReportLanguage::unlisted_problem),
    ];
    // A URL in a message may hold any of them: evidence comes first.
    let fits = |(part, _): &&(&str, Name)| {
        if *part == "evidence" { message.starts_with(part) } else { message.contains(part) }
    };
    NAMES.iter().find(fits).map_or_else(|| language.other_problem(), |(_, name)| name(language))
}

/// A message whose files have no folders: nothing that leaves names a place of this machine.
pub(super) fn without_folders(message: &str) -> String {
    const OFFSET: &str = ", offset ";
    let begins_path = |text: &str, at: usize| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let is_absolute = |path: &str| {
            let mut chars = path.chars();
            match (chars.next(), chars.next(), chars.next()) {
                (Some('/'), ..) => true,
                (Some(drive), Some(':'), Some('\\')) => drive.is_ascii_alphabetic(),
                (Some('\\'), Some('\\'), _) => true,
                _ => false,
            }
        };
        before.is_none_or(|before| matches!(before, ' ' | '(')) && text.get(at..).is_some_and(is_absolute)
    };
    let name_alone = |text: &str| {
        let Some(begin) = text.char_indices().map(|(at, _)| at).find(|at| begins_path(text, *at)) else {
            return text.to_owned();
        };
        let (before, path) = text.split_at(begin);
        format!("{before}{}", path.rsplit(['/', '\\']).next().unwrap_or(path))
    };
    match message.rsplit_once(OFFSET) {
        Some((places, rest)) => {
            let places: Vec<String> = places.split(OFFSET).map(name_alone).collect();
            format!("{}{OFFSET}{rest}", places.join(OFFSET))
        }
        // A file as a whole.
        None => match message.split_once(": ").filter(|_| begins_path(message, 0)) {
            Some((file, rest)) => format!("{}: {rest}", name_alone(file)),
            None => message.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::without_folders;

    #[test]
    fn messages_name_files_without_their_folders() {
        for (message, expected) in [
            (
                "/home/Ana (old)/a.warc.gz, offset 9, http://a.pt/: the record has no id",
                "a.warc.gz, offset 9, http://a.pt/: the record has no id",
            ),
            (
                "/x/a.warc, offset 9, http://a.pt/: another record has this record's id <urn:x> (/y/b.warc, offset 7); it",
                "a.warc, offset 9, http://a.pt/: another record has this record's id <urn:x> (b.warc, offset 7); it",
            ),
            (r"C:\Users\Ana\a.warc, offset 9, http://a.pt/: no", "a.warc, offset 9, http://a.pt/: no"),
            (
                "/x/a.warc.gz: 3 records named the warcinfo record <urn:x>",
                "a.warc.gz: 3 records named the warcinfo record <urn:x>",
            ),
            (
                "evidence of record 1 (http://a.pt/) of campaign 1 is not there",
                "evidence of record 1 (http://a.pt/) of campaign 1 is not there",
            ),
        ] {
            assert_eq!(without_folders(message), expected);
        }
    }
}
