//! The texts in Chinese, simplified.

use super::Notice;

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn text(notice: Notice) -> &'static str {
    match notice {
        Notice::Truncated => "错误：{tool} 未执行：其参数在输出上限处被截断。请减少内容，或分多次发送。",
        Notice::UnknownTool => {
            "错误：{tool} 未执行：没有提供该名称的工具。可选名称：{names}。请修正你的错误。"
        }
        Notice::NoTools => "错误：{tool} 未执行：本轮没有可用的工具。请用文字回答。",
        Notice::Unreadable | Notice::Invalid => "错误：{tool} 未执行：{problems}。请修正你的错误。",
        Notice::Denied => "错误：{tool} 未执行：此处不允许该请求。{reason}",
        Notice::Repeated => {
            "错误：{tool} 未执行。等效的请求已经失败，错误为 {error}。再次发送会以同样的方式失败。请先找出原因；\
             然后修改请求，改走不依赖被拒输入的途径，或明确说明你的结论。"
        }
        Notice::Terminal => {
            "错误：{tool} 未执行。等效的请求已经失败，错误为 {error}。此后所做的一切都无法改变这一点：\
             再次发送会以同样的方式失败。请先找出原因；然后修改请求，改走不依赖被拒输入的途径，\
             或明确说明你的结论。"
        }
        Notice::TooLarge => "错误：{tool} 未执行：其参数超出可接受的大小。请减少内容，或分多次发送。",
        Notice::ProviderRefused => {
            "错误：{tool} 未执行：服务提供方拒绝了此调用，错误为 {error}。请修正你的错误。"
        }
        Notice::Interrupted => {
            "对 {tool} 的这次调用已中断：结果未被记录，执行情况未知。请先确认它做了什么，\
             再决定是否重复调用。"
        }
        Notice::Orphan => "以下是先前一次工具调用的结果，该调用已不在本次对话中：",
        Notice::EmptyResult => "（该工具没有返回任何输出。）",
        Notice::ImageBelow => "（此结果中的图像见下文。）",
        Notice::ImageFrom => "以下是 {tool} 的结果中的图像：",
        Notice::ResultAbove => "（{tool} 的一个结果在此处到达。它位于上方，紧跟在其调用之后。）",
        Notice::ResultCorrectable => "错误：{error} 请修正你的错误。",
        Notice::ResultFailed => "错误：{error}",
        Notice::ResultTerminal => {
            "错误：{tool} 已彻底失败：{error} 等效的请求会以同样的方式失败，因此请勿再次发送。请先找出原因；\
             然后修改请求，改走不依赖被拒输入的途径，或明确说明你的结论。"
        }
        Notice::ResultCut => "[……省略了 {bytes} 字节……]",
        Notice::FellBack => "最近的工具调用无法执行，已被放弃。{refusals}",

        Notice::ErrorUnsaid => "无错误信息",
        Notice::UnreadableForm => "参数不是 JSON 对象",
        Notice::UnreadableBackslash => {
            "参数在字节位置 {at} 处含有 JSON 不支持的反斜杠；请将每个反斜杠写成 \\\\"
        }
        Notice::UnreadableSyntax => "参数不是有效的 JSON：字节位置 {at} 处应为：{expected}",
        Notice::UnreadableSeveral => "参数中包含多个调用；请一次只发起一个调用",
        Notice::UnreadableList => {
            "参数中没有调用列表 \"tool_uses\"，其中每个调用应包含 \"recipient_name\" 和 \"parameters\""
        }
        Notice::ExpectedValue => "一个值",
        Notice::ExpectedObject => "一个对象",
        Notice::ExpectedName => "用双引号括起的名称",
        Notice::ExpectedDigit => "一位数字",
        Notice::ExpectedEscape => "有效的转义序列",
        Notice::ExpectedStringEnd => "字符串的结尾",
        Notice::ExpectedCommentEnd => "注释的结尾",
        Notice::ExpectedTextEnd => "文本的结尾",

        Notice::ProblemAt => "{place}：{problem}",
        Notice::ProblemArguments => "参数对象",
        Notice::ProblemName => "名称",
        Notice::ProblemNothing => "无",
        Notice::ProblemRequired => "缺少必需的 {names}；收到：{received}",
        Notice::ProblemUnknown | Notice::ProblemUnknownSeveral => "未知成员 {names}",
        Notice::ProblemKnown => "{problem}；已知成员：{names}",
        Notice::ProblemType => "{place}：类型必须是 {kinds}，收到：{got}",
        Notice::ProblemForm => "{place}：必须是所提供的形式之一，收到：{got}",
        Notice::ProblemPattern => "{place}：必须匹配 {pattern}，收到：{got}",
        Notice::ProblemEnum => "{place}：必须是以下值之一：{options}，收到：{got}",
        Notice::ProblemConst => "{place}：必须是 {value}，收到：{got}",
        Notice::ProblemMaxLength => "{place}：最多只能有 {limit} 个字符，收到：{got}",
        Notice::ProblemMinLength => "{place}：至少要有 {limit} 个字符，收到：{got}",
        Notice::ProblemMaxItems => "{place}：最多只能有 {limit} 个元素，收到：{got}",
        Notice::ProblemMinItems => "{place}：至少要有 {limit} 个元素，收到：{got}",
        Notice::ProblemMaxProperties => "{place}：最多只能有 {limit} 个成员，收到：{got}",
        Notice::ProblemMinProperties => "{place}：至少要有 {limit} 个成员，收到：{got}",
        Notice::ProblemMaximum => "{place}：不得大于 {limit}，收到：{got}",
        Notice::ProblemMinimum => "{place}：不得小于 {limit}，收到：{got}",
        Notice::ProblemExclusiveMaximum => "{place}：必须小于 {limit}，收到：{got}",
        Notice::ProblemExclusiveMinimum => "{place}：必须大于 {limit}，收到：{got}",
        Notice::ProblemMultipleOf => "{place}：必须是 {factor} 的倍数，收到：{got}",
        Notice::ProblemUniqueItems => "{place}：不得包含重复的元素，收到：{got}",
        Notice::ProblemFalseSchema => "{place}：此处不允许，收到：{got}",
        Notice::ProblemOneOf => "{place}：只能符合其中一种形式，收到：{got}",
        Notice::ProblemPropertyNames => "{place}：成员名称不符合要求：{problem}",
        Notice::ProblemKeyword => "{place}：不符合模式中的 \"{keyword}\"，收到：{got}",

        Notice::ListNext => "{list}、{item}",
        Notice::ListOr => "{list} 或 {item}",
        Notice::ListMore => "{list}……（另有 {count} 个）",
        Notice::ProblemsNext => "{list}；{item}",
        Notice::ProblemsMore => "{list}；另有 {count} 个问题",
    }
}
