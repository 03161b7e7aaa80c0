// A conversation as it happened: who said what, which tools were called, and the answer.

import { el, plain } from "./dom.js";
import { later } from "./checks.js";
import { amount, duration } from "./format.js";
import { isObject, parseMaybe, stringify } from "./json.js";
import { exchanges, inputMessages } from "./result.js";
import { longText, outputView, valueView } from "./text.js";
import { tree } from "./tree.js";

const ROLES = {
  user: "User",
  assistant: "Assistant",
  system: "System",
  developer: "Developer",
  tool: "Tool",
};

/** All that was said in an attempt; its output, with its own views, is the last of it. */
export function conversation(attempt, result, html) {
  const turns = exchanges(attempt, result);
  const node = el("div", { class: "conversation" });
  turns.forEach((turn, place) => {
    if (turns.length > 1) node.append(el("p", { class: "turn" }, `Turn ${place + 1}`));
    for (const message of turn.messages) node.append(messageView(message));
    node.append(...tries(place === 0 ? attempt.tries : attempt.exchanges?.[place]?.tries));
    node.append(...answer(turn, attempt, place === turns.length - 1, html));
  });
  return node;
}

/** What a case that did not run would have asked. */
export function inputView(result) {
  return el("div", { class: "conversation" }, inputMessages(result).map(messageView));
}

function messageView(message) {
  const role = String(message.role ?? "user");
  const parts = Array.isArray(message.content) ? message.content : [message.content];
  const body = parts.filter((part) => part !== null && part !== undefined).map(partView);
  for (const call of message.tool_calls ?? []) body.push(tree(call));
  if (message.refusal) {
    body.push(el("p", { class: "label" }, "Refusal"), longText(String(message.refusal)));
  }
  const from = [message.name, message.tool_call_id].filter((name) => typeof name === "string").join(
    ", ",
  );
  return bubble(role, ROLES[role] ?? role, body, from);
}

function bubble(kind, name, body, detail = "") {
  return el(
    "div",
    { class: `bubble ${ROLES[kind] ? kind : "other"}` },
    el(
      "p",
      { class: "who" },
      el("strong", { text: name }),
      detail ? el("bdi", { class: "faint", text: detail }) : null,
    ),
    body,
  );
}

/** A part of a message: text, a picture, or whatever it is as a tree. */
function partView(part) {
  if (typeof part === "string") return longText(part, "Message");
  if (!isObject(part)) return tree(part);
  if (part.type === "text" && typeof part.text === "string") return longText(part.text, "Message");
  const url = part.image_url?.url ?? part.image_url;
  if (part.type === "image_url" && typeof url === "string") return picture(url);
  return el(
    "div",
    { class: "part" },
    el("p", { class: "label", text: String(part.type ?? "part") }),
    tree(part),
  );
}

function picture(url) {
  if (/^data:image\/(?:gif|png|jpeg|webp);/i.test(url)) {
    return el("img", { class: "attached", src: url, alt: "Picture that was sent" });
  }
  return el(
    "p",
    { class: "part" },
    "Picture ",
    el("code", { dir: "ltr", text: url.slice(0, 500) }),
  );
}

function tries(given) {
  if (!given?.length) return [];
  const rows = given.map((tried) =>
    el(
      "li",
      {},
      el("bdi", { text: tried.error }),
      el(
        "span",
        { class: "faint" },
        ` after ${duration(tried.duration_ms)}, then waited ${duration(tried.waited_ms)}`,
      ),
    )
  );
  return [
    el(
      "div",
      { class: "bubble tries" },
      el(
        "p",
        { class: "who" },
        el("strong", {}, amount(given.length, "try", "tries")),
        " without an answer",
      ),
      el("ul", {}, rows),
    ),
  ];
}

function answer(turn, attempt, last, html) {
  const { response, text } = turn;
  const made = [];
  if (response?.reasoning) {
    made.push(
      el(
        "div",
        { class: "bubble reasoning" },
        later("Reasoning", () => longText(response.reasoning, "Reasoning")),
      ),
    );
  }
  for (const call of response?.tool_calls ?? []) made.push(toolCall(call));
  if (response?.full_text !== undefined) {
    made.push(
      el(
        "div",
        { class: "bubble reasoning" },
        later(
          "All that the agent wrote",
          () => longText(response.full_text, "All that the agent wrote"),
        ),
      ),
    );
  }
  const isOutput = last && "output" in attempt && (attempt.output === text || text === "");
  if (isOutput) {
    made.push(
      bubble("assistant", response?.refusal ? "Agent, refusing" : "Agent", [
        outputView(attempt.output, html),
      ]),
    );
  } else if (response) {
    made.push(bubble("assistant", "Agent", [outputView(text, null)]));
    if (last && "output" in attempt) {
      made.push(
        bubble(
          "assistant",
          "Output",
          [outputView(attempt.output, html)],
          "structured result beside the text",
        ),
      );
    }
  } else if (last && !("output" in attempt)) {
    made.push(el("p", { class: "no-answer" }, "No answer came."));
  }
  return made;
}

/** A call of a tool with its arguments and its result. */
function toolCall(call) {
  const failed = call.error !== undefined && call.error !== null;
  const parts = [
    ["arguments", "Arguments"],
    ["result", "Result"],
  ]
    .filter(([key]) => key in call)
    .map(([key, name]) =>
      el("div", {}, el("p", { class: "label" }, name), valueOf(call[key], name))
    );
  if (failed) {
    parts.push(
      el("div", { class: "callout bad" }, longText(String(call.error), "Error of the tool")),
    );
  }
  const brief = "arguments" in call ? plain(short(call.arguments)) : "";
  const holder = later([
    el("strong", {}, "Tool call "),
    el("code", { text: call.name }),
    el("bdi", { class: "faint brief" }, brief),
  ], () => parts);
  return el("div", { class: `bubble call${failed ? " failed" : ""}` }, holder);
}

function valueOf(value, name) {
  const json = typeof value === "string" ? parseMaybe(value) : { value };
  return json === null ? longText(value, name) : valueView(json.value, name);
}

function short(value) {
  const text = typeof value === "string"
    ? value.slice(0, 200)
    : stringify(value, 0, 3).slice(0, 200);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
