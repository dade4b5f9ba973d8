//! Plain names of decide rules in every language, for what they refused.

use super::tables::messages;
use crate::campaign::ReportLanguage;

messages! {
    name_accept() { en "accept everything" pt "aceitar tudo" es "aceptar todo" fr "tout accepter" de "alles aufnehmen" }
    name_reject() { en "outside the scope" pt "fora do âmbito" es "fuera del ámbito" fr "hors du périmètre" de "außerhalb des Umfangs" }
    name_seed_scope() { en "seed scope" pt "âmbito das sementes" es "ámbito de las semillas" fr "périmètre des URL de départ" de "Umfang der Startadressen" }
    name_prefix() { en "begin of the address" pt "início do endereço" es "inicio de la dirección" fr "début de l’adresse" de "Anfang der Adresse" }
    name_pattern() { en "pattern of the address" pt "padrão do endereço" es "patrón de la dirección" fr "motif de l’adresse" de "Muster der Adresse" }
    name_domains() { en "list of domains" pt "lista de domínios" es "lista de dominios" fr "liste de domaines" de "Liste von Domains" }
    name_hosts() { en "list of hosts" pt "lista de sítios" es "lista de sitios" fr "liste de sites" de "Liste von Websites" }
    name_top_level() { en "top-level domain" pt "domínio de topo" es "dominio de nivel superior" fr "domaine de premier niveau" de "Top-Level-Domain" }
    name_hops() { en "too far from the seed" pt "demasiado longe da semente" es "demasiado lejos de la semilla" fr "trop loin de l’URL de départ" de "zu weit von der Startadresse" }
    name_segments() { en "too many folders in the path" pt "demasiadas pastas no caminho" es "demasiadas carpetas en la ruta" fr "trop de dossiers dans le chemin" de "zu viele Ordner im Pfad" }
    name_parameters() { en "too many parameters" pt "demasiados parâmetros" es "demasiados parámetros" fr "trop de paramètres" de "zu viele Parameter" }
    name_repeating() { en "repeating path" pt "caminho repetitivo" es "ruta repetitiva" fr "chemin répétitif" de "sich wiederholender Pfad" }
    name_embedded() { en "embedded resource" pt "recurso incorporado" es "recurso incrustado" fr "ressource intégrée" de "eingebettete Ressource" }
    name_scheme() { en "kind of address (scheme)" pt "tipo de endereço (esquema)" es "tipo de dirección (esquema)" fr "type d’adresse (schéma)" de "Art der Adresse (Schema)" }
    name_hop_type() { en "how it was found" pt "como foi encontrado" es "cómo se encontró" fr "manière dont elle a été trouvée" de "wie sie gefunden wurde" }
    name_hop_path() { en "path from the seed" pt "percurso desde a semente" es "recorrido desde la semilla" fr "parcours depuis l’URL de départ" de "Weg von der Startadresse" }
    name_tag() { en "tag of the seed" pt "etiqueta da semente" es "etiqueta de la semilla" fr "étiquette de l’URL de départ" de "Marke der Startadresse" }
    name_nofollow() { en "link not to be followed (nofollow)" pt "ligação a não seguir (nofollow)" es "enlace que no se debe seguir (nofollow)" fr "lien à ne pas suivre (nofollow)" de "Link, dem nicht gefolgt werden soll (nofollow)" }
    name_robots() { en "not allowed by robots.txt" pt "não permitido por robots.txt" es "no permitido por robots.txt" fr "non autorisé par robots.txt" de "von robots.txt nicht erlaubt" }
    name_country() { en "country of the server" pt "país do servidor" es "país del servidor" fr "pays du serveur" de "Land des Servers" }
    name_permission() { en "permission" pt "autorização" es "autorización" fr "autorisation" de "Genehmigung" }
    name_time() { en "time of the decision" pt "momento da decisão" es "momento de la decisión" fr "moment de la décision" de "Zeitpunkt der Entscheidung" }
    name_review() { en "decision of a reviewer" pt "decisão de um revisor" es "decisión de un revisor" fr "décision d’un relecteur" de "Entscheidung einer prüfenden Person" }
    name_size() { en "size of the content" pt "tamanho do conteúdo" es "tamaño del contenido" fr "taille du contenu" de "Größe des Inhalts" }
    name_type() { en "type of the content" pt "tipo do conteúdo" es "tipo del contenido" fr "type du contenu" de "Typ des Inhalts" }
    name_prerequisite() { en "prerequisite" pt "pré-requisito" es "requisito previo" fr "prérequis" de "Voraussetzung" }
    name_private() { en "private network address" pt "endereço de rede privada" es "dirección de red privada" fr "adresse de réseau privé" de "private Netzadresse" }
    name_redirects() { en "too many redirects in a row" pt "demasiados redirecionamentos seguidos" es "demasiadas redirecciones seguidas" fr "trop de redirections de suite" de "zu viele Weiterleitungen hintereinander" }
    name_no_rule() { en "no rule accepts it" pt "nenhuma regra o aceita" es "ninguna regla la acepta" fr "aucune règle ne l’accepte" de "keine Regel nimmt sie auf" }
}

impl ReportLanguage {
    /// The plain name of a rule that logs call by its class name; names of rules of other
    /// crawlers stay.
    pub(super) fn rule_name(self, class: &str) -> String {
        match class {
            "AcceptDecideRule" => self.name_accept(),
            "RejectDecideRule" => self.name_reject(),
            "SeedScopeDecideRule" => self.name_seed_scope(),
            "SurtPrefixedDecideRule" => self.name_prefix(),
            "MatchesRegexDecideRule" | "MatchesListRegexDecideRule" | "NotMatchesRegexDecideRule" => {
                self.name_pattern()
            }
            "OnDomainsDecideRule" => self.name_domains(),
            "OnHostsDecideRule" => self.name_hosts(),
            "TopLevelDomainDecideRule" => self.name_top_level(),
            "TooManyHopsDecideRule" => self.name_hops(),
            "TooManyPathSegmentsDecideRule" => self.name_segments(),
            "TooManyQueryParametersDecideRule" => self.name_parameters(),
            "PathologicalPathDecideRule" => self.name_repeating(),
            "TransclusionDecideRule" => self.name_embedded(),
            "SchemeNotInSetDecideRule" | crate::scope::UNSUPPORTED_SCHEME => self.name_scheme(),
            "HopTypeDecideRule" => self.name_hop_type(),
            "HopsPathMatchesRegexDecideRule" => self.name_hop_path(),
            "SourceTagDecideRule" => self.name_tag(),
            "NofollowDecideRule" => self.name_nofollow(),
            "RobotsDecideRule" => self.name_robots(),
            "ExternalGeoLocationDecideRule" => self.name_country(),
            "PermissionDecideRule" => self.name_permission(),
            "ScheduleWindowDecideRule" => self.name_time(),
            "AnnotationDecideRule" => self.name_review(),
            "ContentLengthDecideRule" => self.name_size(),
            "ContentTypeMatchesRegexDecideRule" => self.name_type(),
            "PrerequisiteAcceptDecideRule" => self.name_prerequisite(),
            "PrivateAddressGuard" => self.name_private(),
            crate::scope::TOO_MANY_REDIRECTS => self.name_redirects(),
            crate::scope::NO_RULE => self.name_no_rule(),
            other => other.to_owned(),
        }
    }
}
