//! The texts in French.

use super::Notice;

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn text(notice: Notice) -> &'static str {
    match notice {
        Notice::Truncated => {
            "Erreur : {tool} n'a pas été exécuté : ses arguments ont été coupés à la limite de sortie. \
             Envoyez-en moins, ou envoyez-les en plusieurs parties."
        }
        Notice::UnknownTool => {
            "Erreur : {tool} n'a pas été exécuté : aucun outil de ce nom n'est proposé. Noms disponibles : \
             {names}. Veuillez corriger vos erreurs."
        }
        Notice::NoTools => {
            "Erreur : {tool} n'a pas été exécuté : aucun outil n'est disponible à ce tour. Répondez par des mots."
        }
        Notice::Unreadable | Notice::Invalid => {
            "Erreur : {tool} n'a pas été exécuté : {problems}. Veuillez corriger vos erreurs."
        }
        Notice::Denied => {
            "Erreur : {tool} n'a pas été exécuté : cette requête n'est pas autorisée ici. {reason}"
        }
        Notice::Repeated => {
            "Erreur : {tool} n'a pas été exécuté. Une requête équivalente a déjà échoué avec {error}. Si vous la \
             renvoyez, elle échouera de la même façon. Trouvez d'abord la cause ; ensuite, modifiez la requête, \
             prenez une voie qui ne dépend pas de l'entrée rejetée, ou dites clairement ce que vous concluez."
        }
        Notice::Terminal => {
            "Erreur : {tool} n'a pas été exécuté. Une requête équivalente a déjà échoué avec {error}. Rien de ce \
             qui a été fait depuis ne peut y changer quoi que ce soit : si vous la renvoyez, elle échouera de la \
             même façon. Trouvez d'abord la cause ; ensuite, modifiez la requête, prenez une voie qui ne dépend \
             pas de l'entrée rejetée, ou dites clairement ce que vous concluez."
        }
        Notice::TooLarge => {
            "Erreur : {tool} n'a pas été exécuté : ses arguments dépassent la taille admise. Envoyez-en moins, \
             ou envoyez-les en plusieurs parties."
        }
        Notice::ProviderRefused => {
            "Erreur : {tool} n'a pas été exécuté : le fournisseur a refusé cet appel avec {error}. Veuillez \
             corriger vos erreurs."
        }
        Notice::Interrupted => {
            "Cet appel de {tool} a été interrompu : son résultat n'a pas été enregistré et son issue est \
             inconnue. Vérifiez ce qu'il a fait avant de le répéter."
        }
        Notice::Orphan => {
            "Le résultat d'un appel d'outil antérieur qui ne fait plus partie de cette conversation :"
        }
        Notice::EmptyResult => "(L'outil n'a renvoyé aucune sortie.)",
        Notice::ImageBelow => "(L'image de ce résultat suit plus bas.)",
        Notice::ImageFrom => "L'image du résultat de {tool} :",
        Notice::ResultAbove => {
            "(Un résultat de {tool} est arrivé ici. Il se trouve plus haut, après son appel.)"
        }
        Notice::ResultCorrectable => "Erreur : {error} Veuillez corriger vos erreurs.",
        Notice::ResultFailed => "Erreur : {error}",
        Notice::ResultTerminal => {
            "Erreur : {tool} a échoué définitivement : {error} Une requête équivalente échouera de la même \
             façon ; ne la renvoyez donc pas. Trouvez d'abord la cause ; ensuite, modifiez la requête, \
             prenez une voie qui ne dépend pas de l'entrée rejetée, ou dites clairement ce que vous \
             concluez."
        }
        Notice::ResultCut => "[… {bytes} octets omis …]",
        Notice::FellBack => {
            "Les derniers appels d'outils n'ont pas pu être exécutés et ont été abandonnés. {refusals}"
        }

        Notice::ErrorUnsaid => "une erreur sans message",
        Notice::UnreadableForm => "les arguments ne sont pas un objet JSON",
        Notice::UnreadableBackslash => {
            "les arguments contiennent à l'octet {at} une barre oblique inverse que JSON ne connaît pas ; écrivez \
             chaque barre oblique inverse \\\\"
        }
        Notice::UnreadableSyntax => {
            "les arguments ne sont pas du JSON valide : à l'octet {at}, on attendait {expected}"
        }
        Notice::UnreadableSeveral => {
            "les arguments contiennent plusieurs appels ; faites un seul appel à la fois"
        }
        Notice::UnreadableList => {
            "les arguments ne contiennent pas de liste \"tool_uses\" d'appels, chacun avec \"recipient_name\" et \
             \"parameters\""
        }
        Notice::ExpectedValue => "une valeur",
        Notice::ExpectedObject => "un objet",
        Notice::ExpectedName => "un nom entre guillemets doubles",
        Notice::ExpectedDigit => "un chiffre",
        Notice::ExpectedEscape => "une séquence d'échappement valide",
        Notice::ExpectedStringEnd => "la fin d'une chaîne",
        Notice::ExpectedCommentEnd => "la fin d'un commentaire",
        Notice::ExpectedTextEnd => "la fin du texte",

        Notice::ProblemAt => "{place} : {problem}",
        Notice::ProblemArguments => "l'objet des arguments",
        Notice::ProblemName => "un nom",
        Notice::ProblemNothing => "rien",
        Notice::ProblemRequired => "champs obligatoires manquants : {names} ; reçu : {received}",
        Notice::ProblemUnknown => "champ inconnu {names}",
        Notice::ProblemUnknownSeveral => "champs inconnus {names}",
        Notice::ProblemKnown => "{problem} ; connus : {names}",
        Notice::ProblemType => "{place} doit être de type {kinds}, reçu : {got}",
        Notice::ProblemForm => "{place} doit avoir l'une des formes proposées, reçu : {got}",
        Notice::ProblemPattern => "{place} doit correspondre à {pattern}, reçu : {got}",
        Notice::ProblemEnum => "{place} doit être l'une de ces valeurs : {options}, reçu : {got}",
        Notice::ProblemConst => "{place} doit valoir {value}, reçu : {got}",
        Notice::ProblemMaxLength => "{place} doit avoir au plus {limit} caractère(s), reçu : {got}",
        Notice::ProblemMinLength => "{place} doit avoir au moins {limit} caractère(s), reçu : {got}",
        Notice::ProblemMaxItems => "{place} doit avoir au plus {limit} élément(s), reçu : {got}",
        Notice::ProblemMinItems => "{place} doit avoir au moins {limit} élément(s), reçu : {got}",
        Notice::ProblemMaxProperties => "{place} doit avoir au plus {limit} champ(s), reçu : {got}",
        Notice::ProblemMinProperties => "{place} doit avoir au moins {limit} champ(s), reçu : {got}",
        Notice::ProblemMaximum => "{place} doit être inférieur ou égal à {limit}, reçu : {got}",
        Notice::ProblemMinimum => "{place} doit être supérieur ou égal à {limit}, reçu : {got}",
        Notice::ProblemExclusiveMaximum => "{place} doit être strictement inférieur à {limit}, reçu : {got}",
        Notice::ProblemExclusiveMinimum => "{place} doit être strictement supérieur à {limit}, reçu : {got}",
        Notice::ProblemMultipleOf => "{place} doit être un multiple de {factor}, reçu : {got}",
        Notice::ProblemUniqueItems => "{place} ne doit pas contenir deux fois le même élément, reçu : {got}",
        Notice::ProblemFalseSchema => "{place} n'est pas autorisé ici, reçu : {got}",
        Notice::ProblemOneOf => "{place} ne doit correspondre qu'à une seule de ses formes, reçu : {got}",
        Notice::ProblemPropertyNames => "{place} doit avoir d'autres noms de champs : {problem}",
        Notice::ProblemKeyword => "{place} ne respecte pas \"{keyword}\" du schéma, reçu : {got}",

        Notice::ListNext => "{list}, {item}",
        Notice::ListOr => "{list} ou {item}",
        Notice::ListMore => "{list}, … ({count} de plus)",
        Notice::ProblemsNext => "{list} ; {item}",
        Notice::ProblemsMore => "{list} ; et {count} de plus",
    }
}
