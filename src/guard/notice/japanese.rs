//! The texts in Japanese. Problems are sentences of their own there, so a full stop stands between them.

use super::Notice;

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn text(notice: Notice) -> &'static str {
    match notice {
        Notice::Truncated => {
            "エラー: {tool} は実行されませんでした: 引数が出力の上限で切れています。内容を減らすか、\
             分割して送信してください。"
        }
        Notice::UnknownTool => {
            "エラー: {tool} は実行されませんでした: その名前のツールは提供されていません。選択できる名前: \
             {names}。誤りを修正してください。"
        }
        Notice::NoTools => {
            "エラー: {tool} は実行されませんでした: このターンで使えるツールはありません。\
             文章で回答してください。"
        }
        Notice::Unreadable | Notice::Invalid => {
            "エラー: {tool} は実行されませんでした: {problems}。誤りを修正してください。"
        }
        Notice::Denied => {
            "エラー: {tool} は実行されませんでした: このリクエストはここでは許可されていません。{reason}"
        }
        Notice::Repeated => {
            "エラー: {tool} は実行されませんでした。同等のリクエストがすでに {error} で失敗しています。\
             再送しても同じように失敗します。まず原因を突き止めてください。そのうえで、リクエストを変えるか、\
             拒否された入力に依存しない方法を取るか、結論を明確に述べてください。"
        }
        Notice::Terminal => {
            "エラー: {tool} は実行されませんでした。同等のリクエストがすでに {error} で失敗しています。\
             その後に行われたことは、どれもこの結果を変えません。再送しても同じように失敗します。\
             まず原因を突き止めてください。そのうえで、リクエストを変えるか、\
             拒否された入力に依存しない方法を取るか、結論を明確に述べてください。"
        }
        Notice::TooLarge => {
            "エラー: {tool} は実行されませんでした: 引数が受け付けられる大きさを超えています。内容を減らすか、\
             分割して送信してください。"
        }
        Notice::ProviderRefused => {
            "エラー: {tool} は実行されませんでした: プロバイダーがこの呼び出しを {error} で拒否しました。\
             誤りを修正してください。"
        }
        Notice::Interrupted => {
            "{tool} のこの呼び出しは中断されました。結果は記録されておらず、\
             実際に行われたかどうかは不明です。繰り返す前に、何が行われたかを確認してください。"
        }
        Notice::Orphan => "この会話にはもう含まれていない、以前のツール呼び出しの結果:",
        Notice::EmptyResult => "（ツールは何も出力しませんでした。）",
        Notice::ImageBelow => "（この結果に含まれる画像は下に続きます。）",
        Notice::ImageFrom => "以下は {tool} の結果に含まれる画像です:",
        Notice::ResultAbove => {
            "（ここに {tool} の結果が届きました。この結果は上の、呼び出しの直後にあります。）"
        }
        Notice::ResultCorrectable => "エラー: {error} 誤りを修正してください。",
        Notice::ResultFailed => "エラー: {error}",
        Notice::ResultTerminal => {
            "エラー: {tool} は回復できない形で失敗しました: {error} \
             同等のリクエストは同じように失敗するため、再送しないでください。まず原因を突き止めてください。\
             そのうえで、リクエストを変えるか、拒否された入力に依存しない方法を取るか、\
             結論を明確に述べてください。"
        }
        Notice::ResultCut => "[… {bytes} バイト省略 …]",
        Notice::FellBack => "直近のツール呼び出しは実行できず、中止されました。{refusals}",

        Notice::ErrorUnsaid => "メッセージのないエラー",
        Notice::UnreadableForm => "引数が JSON オブジェクトではありません",
        Notice::UnreadableBackslash => {
            "引数のバイト位置 {at} に、JSON では使えないバックスラッシュがあります。バックスラッシュはすべて \\\\ \
             と書いてください"
        }
        Notice::UnreadableSyntax => {
            "引数が正しい JSON ではありません。バイト位置 {at} に必要なもの: {expected}"
        }
        Notice::UnreadableSeveral => {
            "引数に複数の呼び出しが含まれています。呼び出しは一度に 1 つだけ行ってください"
        }
        Notice::UnreadableList => {
            "引数に呼び出しの一覧 \"tool_uses\" がありません。各呼び出しには \"recipient_name\" と \
             \"parameters\" が必要です"
        }
        Notice::ExpectedValue => "値",
        Notice::ExpectedObject => "オブジェクト",
        Notice::ExpectedName => "二重引用符で囲んだ名前",
        Notice::ExpectedDigit => "数字",
        Notice::ExpectedEscape => "有効なエスケープシーケンス",
        Notice::ExpectedStringEnd => "文字列の終わり",
        Notice::ExpectedCommentEnd => "コメントの終わり",
        Notice::ExpectedTextEnd => "テキストの終わり",

        Notice::ProblemAt => "{place}: {problem}",
        Notice::ProblemArguments => "引数オブジェクト",
        Notice::ProblemName => "名前",
        Notice::ProblemNothing => "なし",
        Notice::ProblemRequired => "必須の {names} がありません（受け取ったもの: {received}）",
        Notice::ProblemUnknown | Notice::ProblemUnknownSeveral => "不明なメンバー {names} があります",
        Notice::ProblemKnown => "{problem}（既知のメンバー: {names}）",
        Notice::ProblemType => "{place}: 型は {kinds} でなければなりません（受け取った値: {got}）",
        Notice::ProblemForm => "{place}: 提示された形式のいずれかでなければなりません（受け取った値: {got}）",
        Notice::ProblemPattern => "{place}: {pattern} に一致しなければなりません（受け取った値: {got}）",
        Notice::ProblemEnum => {
            "{place}: 次の値のいずれかでなければなりません: {options}（受け取った値: {got}）"
        }
        Notice::ProblemConst => "{place}: {value} でなければなりません（受け取った値: {got}）",
        Notice::ProblemMaxLength => "{place}: {limit} 文字以下でなければなりません（受け取った値: {got}）",
        Notice::ProblemMinLength => "{place}: {limit} 文字以上でなければなりません（受け取った値: {got}）",
        Notice::ProblemMaxItems => {
            "{place}: 要素は {limit} 個以下でなければなりません（受け取った値: {got}）"
        }
        Notice::ProblemMinItems => {
            "{place}: 要素は {limit} 個以上でなければなりません（受け取った値: {got}）"
        }
        Notice::ProblemMaxProperties => {
            "{place}: メンバーは {limit} 個以下でなければなりません（受け取った値: {got}）"
        }
        Notice::ProblemMinProperties => {
            "{place}: メンバーは {limit} 個以上でなければなりません（受け取った値: {got}）"
        }
        Notice::ProblemMaximum => "{place}: {limit} 以下でなければなりません（受け取った値: {got}）",
        Notice::ProblemMinimum => "{place}: {limit} 以上でなければなりません（受け取った値: {got}）",
        Notice::ProblemExclusiveMaximum => {
            "{place}: {limit} より小さくなければなりません（受け取った値: {got}）"
        }
        Notice::ProblemExclusiveMinimum => {
            "{place}: {limit} より大きくなければなりません（受け取った値: {got}）"
        }
        Notice::ProblemMultipleOf => "{place}: {factor} の倍数でなければなりません（受け取った値: {got}）",
        Notice::ProblemUniqueItems => {
            "{place}: 同じ要素を重複して含めることはできません（受け取った値: {got}）"
        }
        Notice::ProblemFalseSchema => "{place}: ここでは使用できません（受け取った値: {got}）",
        Notice::ProblemOneOf => {
            "{place}: いずれか 1 つの形式だけに一致しなければなりません（受け取った値: {got}）"
        }
        Notice::ProblemPropertyNames => "{place}: メンバー名が条件を満たしていません: {problem}",
        Notice::ProblemKeyword => {
            "{place}: スキーマの \"{keyword}\" を満たしていません（受け取った値: {got}）"
        }

        Notice::ListNext => "{list}、{item}",
        Notice::ListOr => "{list} または {item}",
        Notice::ListMore => "{list}、…（ほか {count} 件）",
        Notice::ProblemsNext => "{list}。{item}",
        Notice::ProblemsMore => "{list}。ほか {count} 件",
    }
}
