/**
 * Files that agents read, in the forms that hosts and people use. Every reference to a tool of the servers "shop" and "my_wp"
 * is between ⟨ and ⟩; everything else is prose, a file, another server, or a tool of the host.
 */
export const CORPUS: readonly (readonly [path: string, text: string])[] = [
  ["CLAUDE.md", "# Shop\n\nUse ⟨mcp__shop__get_order⟩ before you ask.\n"],
  ["CLAUDE.md", "Use mcp__shop__{get,list}_orders, mcp__shop__*_order and mcp__shop__get_?rder, not mcp__shop__{tool}.\n"], // prettier-ignore
  ["CLAUDE.md", "Not ⟨mcp__shop__{put,post}_order⟩, ⟨mcp__shop__*_invoice⟩ or ⟨mcp__shop__drop⟩? Not ⟨mcp__shop__get_order⟩{s}.\n"], // prettier-ignore
  [".claude/settings.json", '{"permissions":{"allow":["shop/{get,list}_*","⟨shop/put_{a,b}⟩"]}}\n'],
  ["web/AGENTS.md", "Call `⟨get_order⟩` first, then `⟨shop.list_orders⟩`. Get orders politely.\n"],
  ["GEMINI.md", "Tools: `⟨shop:cancel-order⟩`, `⟨shop/get_order⟩` and `search`.\n"],
  ["AGENTS.md", "The shop/readme.md explains get_order in prose. See `shop/readme.md` and `shop.ts`.\n"],
  ["AGENTS.md", "```ts\nawait shop.getOrder({ id });\nshop.get_order;\n```\nAnd ``⟨get_order⟩`` after it.\n"],
  ["AGENTS.md", "Run `npm run shop:dev` or `git log`. Not `get_orders_total`, not `my-get_order`.\n"],
  ["CLAUDE.md", "Never call ⟨mcp__shop__drop_all⟩! It is not mcp__shop__ and not mcp__shopping__get_order.\n"], // prettier-ignore
  ["CLAUDE.md", "Windows line ends\r\nUse `⟨cancel-order⟩`.\r\n"],
  ["CLAUDE.md", "\uFEFFWith a mark: ⟨mcp__shop__list_orders⟩.\n"],
  ["CLAUDE.md", "Abilities: `⟨content/get-post⟩` or `⟨content-get-post⟩`; ⟨mcp__my-wp__content-get-post⟩.\n"],
  ["CLAUDE.md", "Hosts see mcp__my_wp__mcp-adapter-execute-ability, which is a tool of the adapter.\n"],
  ["CLAUDE.md", "All of mcp__shop__* is fine, mcp__shop__get_* is too, ⟨mcp__shop__drop_*⟩ names nothing.\n"],
  ["CLAUDE.md", "Another host: ⟨mcp_shop_get_order⟩ and ⟨mcp_shop_gone_tool⟩, but mcp_other_get_order.\n"],
  [
    "CLAUDE.md",
    "Set MCP_SHOP_TOKEN, run mcp_shop_server.js, read ./mcp__shop__notes.md and https://example.com/mcp__shop__docs_page. Names are like mcp__shop__NAME or mcp__shop__xxx; /mcp__shop__summary is a prompt.\n",
  ],
  [
    "CLAUDE.md",
    "Hosts that keep marks: ⟨mcp__shop__orders/search⟩ and ⟨mcp__shop__Orders.Export⟩. Then ⟨mcp__shop__get_order⟩.json has its answer.\n",
  ],
  ["AGENTS.md", "---\r\ntools: [⟨shop/refnd⟩]\r\nallowed-tools:\r\n  - ⟨mcp__shop__get_order⟩\r\n---\r\nget_order\r\n"], // prettier-ignore
  ["skills/block/SKILL.md", "---\nname: block\ntools: |\n  ⟨shop/refnd⟩\n  ⟨get_order⟩\n---\nget_order\n"],
  [
    ".claude/settings.json",
    '{ "permissions": { "allow": ["⟨mcp__shop__orders/gone⟩", "Bash(mcp_shop_cli:*)", "Bash(npm run mcp_shop_build)", "Read(../mcp__shop__dir)", "⟨mcp_shop_gone⟩"] }, "hooks": { "PreToolUse": [{ "matcher": "mcp__shop__get_.*" }, { "matcher": "⟨mcp__shop__drop.*⟩" }] } }',
  ],
  ["CLAUDE.md", "In camel case: ⟨mcp__myWp__content-get-post⟩.\n"],
  ["CLAUDE.md", "An unclosed `span with get_order\nand the next line.\n"],
  ["CLAUDE.md", "~~~\nget_order\n~~~\n`⟨get_order⟩`\n"],
  [
    ".claude/settings.json",
    '{ "permissions": { "allow": ["⟨mcp__shop__get_order⟩", "Bash(git:*)", "mcp__shop", "mcp__shop__*"], "deny": ["⟨mcp__shop__fetch_order⟩", "Read(shop/secret.env)"] } }',
  ],
  [
    ".claude/settings.local.json",
    '{\n  "permissions": {\n    "ask": [\n      "WebFetch(domain:shop.example.com)",\n      "⟨mcp__shop__cancel-order⟩"\n    ]\n  },\n  "env": { "SHOP": "get_order" }\n}\n',
  ],
  [
    ".claude/agents/refunds.md",
    "---\nname: refunds\ndescription: Uses get_order\ntools: Read, Grep, ⟨mcp__shop__get_order⟩, ⟨mcp__shop__refund⟩\n---\nYou get_order.\n",
  ],
  [".claude/agents/list.md", "---\nname: list\ntools:\n  - Read\n  - ⟨mcp__shop__list_orders⟩\nmodel: opus\n---\nList the orders.\n"], // prettier-ignore
  [
    ".claude/commands/order.md",
    "---\nallowed-tools: ⟨mcp__shop__get_order⟩, Bash(npm run shop:*)\nargument-hint: [id]\n---\nShow order $1 with `⟨get_order⟩`.\n",
  ],
  [".claude/rules/orders.md", "Before `⟨mcp__shop__cancel-order⟩`, ask.\n"],
  [
    "skills/orders/SKILL.md",
    "---\nname: orders\ndescription: Finds orders in the shop.\nallowed-tools:\n- Read\n- ⟨mcp__shop__get_order⟩\n- ⟨shop/list_orders⟩\n---\n# Orders\n",
  ],
  ["skills/one/SKILL.md", '---\nname: one\nallowed-tools: ["⟨mcp__shop__get_order⟩", "Bash"]\n---\n'],
  ["skills/two/SKILL.md", "---\nname: two\nallowed-tools: [\n  Read,\n  ⟨mcp__shop__get_order⟩\n]\nlicense: MIT\n---\nget_order\n"], // prettier-ignore
  ["skills/none/SKILL.md", "# No front matter\n\n---\ntools: get_order\n---\n"],
  ["skills/open/SKILL.md", "---\nname: open\ntools: ⟨mcp__shop__get_order⟩\n"],
  [
    ".github/chatmodes/orders.chatmode.md",
    "---\ndescription: 'Orders'\ntools: ['codebase', 'search', '⟨shop/get_order⟩', '⟨shop/refund_order⟩']\n---\nUse #get_order.\n",
  ],
  [".github/agents/shop.agent.md", "---\nname: shop\ntools: ['read', 'edit', '⟨shop/list_orders⟩', 'shop/*', 'github/create_issue']\n---\n"], // prettier-ignore
  [".github/prompts/refund.prompt.md", "---\nmode: agent\ntools: ['⟨get_order⟩', 'fetch']\n---\nRefund it.\n"], // prettier-ignore
  [".github/copilot-instructions.md", "Prefer `⟨list_orders⟩` to `get`.\n"],
  [".cursor/rules/shop.mdc", "---\ndescription: shop rules\nglobs: shop/**/*.ts\nalwaysApply: false\n---\nUse `⟨get_order⟩` of the shop.\n"], // prettier-ignore
  [".vscode/settings.json", '{\n  // comment: shop/get_order\n  "chat.tools.autoApprove": true,\n  "shop.path": "shop/src"\n}\n'], // prettier-ignore
  [
    ".vscode/mcp.json",
    '{ "servers": { "shop": { "url": "https://shop.example.com/mcp", "tools": ["⟨get_order⟩", "⟨list_orders⟩", "nothing"] } } }',
  ],
  [
    ".gemini/settings.json",
    '{\n  "mcpServers": {\n    "shop": {\n      "command": "shop",\n      "includeTools": ["⟨get_order⟩"],\n      "excludeTools": [\n        "⟨cancel-order⟩"\n      ]\n    }\n  }\n}\n',
  ],
  [
    ".codex/config.toml",
    '[mcp_servers.shop]\ncommand = "shop"\nenabled_tools = ["⟨get_order⟩", "⟨list_orders⟩"]\ndisabled_tools = ["⟨cancel-order⟩"]\nstartup = "get_order"\n',
  ],
  [".codex/config.toml", '[mcp_servers.shop]\nenabled_tools = [\n  "⟨get_order⟩",\n]\n\n[tools]\nweb_search = true\n'], // prettier-ignore
  [".mcp.json", '{ "mcpServers": { "shop": { "command": "npx", "args": ["shop/get_order"] } } }'],
  ["evals/refund.yaml", "name: refund\nallowed_tools:\n  - ⟨mcp__shop__get_order⟩\n  - ⟨shop/get_order⟩\nprompt: use get_order\n"], // prettier-ignore
  ["evals/refund.json", '{ "input": "Refund 7", "expected": [{ "call": "⟨mcp__shop__refund_order⟩" }] }'],
  ["prompts/system.md", "You help customers of the shop. `⟨shop.get_order⟩` shows an order; `shop.example` is a host.\n"], // prettier-ignore
  ["prompts/long.md", `${"word ".repeat(500)}⟨mcp__shop__get_order⟩ ${"word ".repeat(500)}`],
  ["prompts/none.md", "Nothing of interest: `npm test`, `mcp`, `mcp__`, get-order, order.\n"],
  ["prompts/emphasis.md", "**⟨mcp__shop__get_order⟩** and *⟨mcp__shop__list_orders⟩*, (⟨mcp__shop__cancel-order⟩).\n"], // prettier-ignore
  ["prompts/table.md", "| tool | use |\n| --- | --- |\n| `⟨get_order⟩` | one order |\n| `⟨list_orders⟩` | all |\n"], // prettier-ignore
  ["prompts/link.md", "[`⟨get_order⟩`](https://shop.example.com/get_order) and <https://x.test/shop/get_order>.\n"], // prettier-ignore
];
