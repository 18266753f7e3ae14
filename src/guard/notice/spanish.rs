//! The texts in Spanish. Alternatives are joined by "o bien": a mere "o" would have to be "u" before some words.

use super::Notice;

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn text(notice: Notice) -> &'static str {
    match notice {
        Notice::Truncated => {
            "Error: {tool} no se ejecutó: sus argumentos se cortaron en el límite de salida. Envía menos o \
             envíalo por partes."
        }
        Notice::UnknownTool => {
            "Error: {tool} no se ejecutó: no se ofrece ninguna herramienta con ese nombre. Nombres disponibles: \
             {names}. Por favor, corrige tus errores."
        }
        Notice::NoTools => {
            "Error: {tool} no se ejecutó: en este turno no hay herramientas disponibles. Responde con palabras."
        }
        Notice::Unreadable | Notice::Invalid => {
            "Error: {tool} no se ejecutó: {problems}. Por favor, corrige tus errores."
        }
        Notice::Denied => "Error: {tool} no se ejecutó: esta solicitud no está permitida aquí. {reason}",
        Notice::Repeated => {
            "Error: {tool} no se ejecutó. Una solicitud equivalente ya falló con {error}. Si la envías de nuevo, \
             fallará de la misma manera. Averigua primero la causa; después cambia la solicitud, toma un camino \
             que no dependa de la entrada rechazada o di con claridad a qué conclusión llegas."
        }
        Notice::Terminal => {
            "Error: {tool} no se ejecutó. Una solicitud equivalente ya falló con {error}. Nada de lo que se ha \
             hecho desde entonces puede cambiarlo: si la envías de nuevo, fallará de la misma manera. Averigua \
             primero la causa; después cambia la solicitud, toma un camino que no dependa de la entrada \
             rechazada o di con claridad a qué conclusión llegas."
        }
        Notice::TooLarge => {
            "Error: {tool} no se ejecutó: sus argumentos superan el tamaño que se puede aceptar. Envía menos o \
             envíalo por partes."
        }
        Notice::ProviderRefused => {
            "Error: {tool} no se ejecutó: el proveedor rechazó esta llamada con {error}. Por favor, corrige tus \
             errores."
        }
        Notice::Interrupted => {
            "Esta llamada a {tool} se interrumpió: su resultado no quedó registrado y se desconoce qué \
             efecto tuvo. Comprueba qué hizo antes de repetirla."
        }
        Notice::Orphan => {
            "El resultado de una llamada a herramienta anterior que ya no forma parte de esta conversación:"
        }
        Notice::EmptyResult => "(La herramienta no devolvió ninguna salida.)",
        Notice::ImageBelow => "(La imagen de este resultado aparece más abajo.)",
        Notice::ImageFrom => "La imagen del resultado de {tool}:",
        Notice::ResultAbove => "(Aquí llegó un resultado de {tool}. Está más arriba, detrás de su llamada.)",
        Notice::ResultCorrectable => "Error: {error} Por favor, corrige tus errores.",
        Notice::ResultFailed => "Error: {error}",
        Notice::ResultTerminal => {
            "Error: {tool} falló definitivamente: {error} Una solicitud equivalente fallará de la misma \
             manera, así que no la envíes de nuevo. Averigua primero la causa; después cambia la solicitud, \
             toma un camino que no dependa de la entrada rechazada o di con claridad a qué conclusión \
             llegas."
        }
        Notice::ResultCut => "[… {bytes} bytes omitidos …]",
        Notice::FellBack => {
            "Las últimas llamadas a herramientas no se pudieron ejecutar y se abandonaron. {refusals}"
        }

        Notice::ErrorUnsaid => "un error sin mensaje",
        Notice::UnreadableForm => "los argumentos no son un objeto JSON",
        Notice::UnreadableBackslash => {
            "los argumentos contienen en el byte {at} una barra invertida que JSON no conoce; escribe cada barra \
             invertida como \\\\"
        }
        Notice::UnreadableSyntax => {
            "los argumentos no son JSON válido: se esperaba {expected} en el byte {at}"
        }
        Notice::UnreadableSeveral => {
            "los argumentos contienen varias llamadas; haz una sola llamada a la vez"
        }
        Notice::UnreadableList => {
            "los argumentos no contienen una lista \"tool_uses\" de llamadas, cada una con \"recipient_name\" y \
             \"parameters\""
        }
        Notice::ExpectedValue => "un valor",
        Notice::ExpectedObject => "un objeto",
        Notice::ExpectedName => "un nombre entre comillas dobles",
        Notice::ExpectedDigit => "un dígito",
        Notice::ExpectedEscape => "una secuencia de escape válida",
        Notice::ExpectedStringEnd => "el final de una cadena",
        Notice::ExpectedCommentEnd => "el final de un comentario",
        Notice::ExpectedTextEnd => "el final del texto",

        Notice::ProblemAt => "{place}: {problem}",
        Notice::ProblemArguments => "el objeto de argumentos",
        Notice::ProblemName => "un nombre",
        Notice::ProblemNothing => "nada",
        Notice::ProblemRequired => "campos obligatorios que faltan: {names}; recibido: {received}",
        Notice::ProblemUnknown => "campo desconocido {names}",
        Notice::ProblemUnknownSeveral => "campos desconocidos {names}",
        Notice::ProblemKnown => "{problem}; conocidos: {names}",
        Notice::ProblemType => "{place} debe ser de tipo {kinds}, pero se recibió {got}",
        Notice::ProblemForm => "{place} debe tener una de las formas ofrecidas, pero se recibió {got}",
        Notice::ProblemPattern => "{place} debe ajustarse a {pattern}, pero se recibió {got}",
        Notice::ProblemEnum => "{place} debe ser uno de estos valores: {options}, pero se recibió {got}",
        Notice::ProblemConst => "{place} debe ser {value}, pero se recibió {got}",
        Notice::ProblemMaxLength => {
            "{place} debe tener como máximo {limit} carácter(es), pero se recibió {got}"
        }
        Notice::ProblemMinLength => {
            "{place} debe tener como mínimo {limit} carácter(es), pero se recibió {got}"
        }
        Notice::ProblemMaxItems => {
            "{place} debe tener como máximo {limit} elemento(s), pero se recibió {got}"
        }
        Notice::ProblemMinItems => {
            "{place} debe tener como mínimo {limit} elemento(s), pero se recibió {got}"
        }
        Notice::ProblemMaxProperties => {
            "{place} debe tener como máximo {limit} campo(s), pero se recibió {got}"
        }
        Notice::ProblemMinProperties => {
            "{place} debe tener como mínimo {limit} campo(s), pero se recibió {got}"
        }
        Notice::ProblemMaximum => "{place} debe ser como máximo {limit}, pero se recibió {got}",
        Notice::ProblemMinimum => "{place} debe ser como mínimo {limit}, pero se recibió {got}",
        Notice::ProblemExclusiveMaximum => "{place} debe ser menor que {limit}, pero se recibió {got}",
        Notice::ProblemExclusiveMinimum => "{place} debe ser mayor que {limit}, pero se recibió {got}",
        Notice::ProblemMultipleOf => "{place} debe ser múltiplo de {factor}, pero se recibió {got}",
        Notice::ProblemUniqueItems => "{place} no debe contener elementos repetidos, pero se recibió {got}",
        Notice::ProblemFalseSchema => "{place} no está permitido aquí, pero se recibió {got}",
        Notice::ProblemOneOf => "{place} debe ajustarse a una sola de sus formas, pero se recibió {got}",
        Notice::ProblemPropertyNames => "{place} debe tener otros nombres de campo: {problem}",
        Notice::ProblemKeyword => "{place} no cumple \"{keyword}\" del esquema, pues se recibió {got}",

        Notice::ListNext => "{list}, {item}",
        Notice::ListOr => "{list} o bien {item}",
        Notice::ListMore => "{list}, … ({count} más)",
        Notice::ProblemsNext => "{list}; {item}",
        Notice::ProblemsMore => "{list}; y {count} más",
    }
}
