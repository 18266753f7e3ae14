//! The texts in German.

use super::Notice;

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn text(notice: Notice) -> &'static str {
    match notice {
        Notice::Truncated => {
            "Fehler: {tool} wurde nicht ausgeführt: Die Argumente wurden an der Ausgabegrenze abgeschnitten. \
             Sende weniger oder sende es in Teilen."
        }
        Notice::UnknownTool => {
            "Fehler: {tool} wurde nicht ausgeführt: Ein Tool mit diesem Namen wird nicht angeboten. Mögliche \
             Namen: {names}. Bitte behebe deine Fehler."
        }
        Notice::NoTools => {
            "Fehler: {tool} wurde nicht ausgeführt: In dieser Runde stehen keine Tools zur Verfügung. Antworte \
             in Worten."
        }
        Notice::Unreadable | Notice::Invalid => {
            "Fehler: {tool} wurde nicht ausgeführt: {problems}. Bitte behebe deine Fehler."
        }
        Notice::Denied => {
            "Fehler: {tool} wurde nicht ausgeführt: Diese Anfrage ist hier nicht erlaubt. {reason}"
        }
        Notice::Repeated => {
            "Fehler: {tool} wurde nicht ausgeführt. Eine gleichwertige Anfrage ist bereits fehlgeschlagen mit \
             {error}. Wird sie noch einmal gesendet, schlägt sie auf dieselbe Weise fehl. Finde zuerst die \
             Ursache; ändere dann die Anfrage, nimm einen Weg, der nicht von der abgelehnten Eingabe abhängt, \
             oder sage klar, zu welchem Schluss du kommst."
        }
        Notice::Terminal => {
            "Fehler: {tool} wurde nicht ausgeführt. Eine gleichwertige Anfrage ist bereits fehlgeschlagen mit \
             {error}. Nichts, was seither getan wurde, kann daran etwas ändern: Wird sie noch einmal gesendet, \
             schlägt sie auf dieselbe Weise fehl. Finde zuerst die Ursache; ändere dann die Anfrage, nimm einen \
             Weg, der nicht von der abgelehnten Eingabe abhängt, oder sage klar, zu welchem Schluss du kommst."
        }
        Notice::TooLarge => {
            "Fehler: {tool} wurde nicht ausgeführt: Die Argumente sind größer, als angenommen werden kann. Sende \
             weniger oder sende es in Teilen."
        }
        Notice::ProviderRefused => {
            "Fehler: {tool} wurde nicht ausgeführt: Der Anbieter hat diesen Aufruf abgelehnt mit {error}. Bitte \
             behebe deine Fehler."
        }
        Notice::Interrupted => {
            "Dieser Aufruf von {tool} wurde unterbrochen: Sein Ergebnis wurde nicht aufgezeichnet, und sein \
             Ausgang ist unbekannt. Prüfe, was er bewirkt hat, bevor du ihn wiederholst."
        }
        Notice::Orphan => {
            "Das Ergebnis eines früheren Tool-Aufrufs, der nicht mehr Teil dieser Unterhaltung ist:"
        }
        Notice::EmptyResult => "(Das Tool hat keine Ausgabe geliefert.)",
        Notice::ImageBelow => "(Das Bild in diesem Ergebnis folgt weiter unten.)",
        Notice::ImageFrom => "Das Bild aus dem Ergebnis von {tool}:",
        Notice::ResultAbove => {
            "(Hier kam ein Ergebnis von {tool} an. Es steht weiter oben, hinter seinem Aufruf.)"
        }
        Notice::ResultCorrectable => "Fehler: {error} Bitte behebe deine Fehler.",
        Notice::ResultFailed => "Fehler: {error}",
        Notice::ResultTerminal => {
            "Fehler: {tool} ist endgültig fehlgeschlagen: {error} Eine gleichwertige Anfrage schlägt auf \
             dieselbe Weise fehl; sende sie also nicht noch einmal. Finde zuerst die Ursache; ändere dann \
             die Anfrage, nimm einen Weg, der nicht von der abgelehnten Eingabe abhängt, oder sage klar, zu \
             welchem Schluss du kommst."
        }
        Notice::ResultCut => "[… {bytes} Bytes ausgelassen …]",
        Notice::FellBack => {
            "Die letzten Tool-Aufrufe konnten nicht ausgeführt werden und wurden aufgegeben. {refusals}"
        }

        Notice::ErrorUnsaid => "einem Fehler ohne Meldung",
        Notice::UnreadableForm => "Die Argumente sind kein JSON-Objekt",
        Notice::UnreadableBackslash => {
            "Die Argumente enthalten bei Byte {at} einen Backslash, den JSON nicht kennt; schreibe jeden \
             Backslash als \\\\"
        }
        Notice::UnreadableSyntax => {
            "Die Argumente sind kein gültiges JSON: Bei Byte {at} wurde {expected} erwartet"
        }
        Notice::UnreadableSeveral => {
            "Die Argumente enthalten mehrere Aufrufe; sende nur einen Aufruf auf einmal"
        }
        Notice::UnreadableList => {
            "Die Argumente enthalten keine Liste \"tool_uses\" von Aufrufen mit je \"recipient_name\" und \
             \"parameters\""
        }
        Notice::ExpectedValue => "ein Wert",
        Notice::ExpectedObject => "ein Objekt",
        Notice::ExpectedName => "ein Name in doppelten Anführungszeichen",
        Notice::ExpectedDigit => "eine Ziffer",
        Notice::ExpectedEscape => "eine gültige Escape-Sequenz",
        Notice::ExpectedStringEnd => "das Ende einer Zeichenkette",
        Notice::ExpectedCommentEnd => "das Ende eines Kommentars",
        Notice::ExpectedTextEnd => "das Ende des Textes",

        Notice::ProblemAt => "{place}: {problem}",
        Notice::ProblemArguments => "das Argumentobjekt",
        Notice::ProblemName => "ein Name",
        Notice::ProblemNothing => "nichts",
        Notice::ProblemRequired => "Pflichtangaben fehlen: {names}; erhalten: {received}",
        Notice::ProblemUnknown => "unbekannte Eigenschaft {names}",
        Notice::ProblemUnknownSeveral => "unbekannte Eigenschaften {names}",
        Notice::ProblemKnown => "{problem}; bekannt: {names}",
        Notice::ProblemType => "{place} muss vom Typ {kinds} sein, erhalten: {got}",
        Notice::ProblemForm => "{place} muss eine der angebotenen Formen haben, erhalten: {got}",
        Notice::ProblemPattern => "{place} muss zum Muster {pattern} passen, erhalten: {got}",
        Notice::ProblemEnum => "{place} muss einer dieser Werte sein: {options}, erhalten: {got}",
        Notice::ProblemConst => "{place} muss {value} sein, erhalten: {got}",
        Notice::ProblemMaxLength => "{place} darf höchstens {limit} Zeichen lang sein, erhalten: {got}",
        Notice::ProblemMinLength => "{place} muss mindestens {limit} Zeichen lang sein, erhalten: {got}",
        Notice::ProblemMaxItems => "{place} darf höchstens {limit} Element(e) haben, erhalten: {got}",
        Notice::ProblemMinItems => "{place} muss mindestens {limit} Element(e) haben, erhalten: {got}",
        Notice::ProblemMaxProperties => {
            "{place} darf höchstens {limit} Eigenschaft(en) haben, erhalten: {got}"
        }
        Notice::ProblemMinProperties => {
            "{place} muss mindestens {limit} Eigenschaft(en) haben, erhalten: {got}"
        }
        Notice::ProblemMaximum => "{place} darf höchstens {limit} sein, erhalten: {got}",
        Notice::ProblemMinimum => "{place} muss mindestens {limit} sein, erhalten: {got}",
        Notice::ProblemExclusiveMaximum => "{place} muss kleiner als {limit} sein, erhalten: {got}",
        Notice::ProblemExclusiveMinimum => "{place} muss größer als {limit} sein, erhalten: {got}",
        Notice::ProblemMultipleOf => "{place} muss ein Vielfaches von {factor} sein, erhalten: {got}",
        Notice::ProblemUniqueItems => "{place} darf kein Element doppelt enthalten, erhalten: {got}",
        Notice::ProblemFalseSchema => "{place} ist hier nicht erlaubt, erhalten: {got}",
        Notice::ProblemOneOf => "{place} darf nur zu einer der Formen passen, erhalten: {got}",
        Notice::ProblemPropertyNames => "{place} muss andere Eigenschaftsnamen haben: {problem}",
        Notice::ProblemKeyword => "{place} erfüllt \"{keyword}\" des Schemas nicht, erhalten: {got}",

        Notice::ListNext => "{list}, {item}",
        Notice::ListOr => "{list} oder {item}",
        Notice::ListMore => "{list}, … ({count} weitere)",
        Notice::ProblemsNext => "{list}; {item}",
        Notice::ProblemsMore => "{list}; und {count} weitere",
    }
}
