// Checks of the keyword agent in TypeScript, as an application of Yao has them in scripts/.

import { answer } from "./answers";

interface Verdict {
  pass: boolean;
  message?: string;
  score?: number;
}

/** Pass when every keyword is a word of the input: the agent invents nothing. */
function ValidateOutput(output: unknown, input: unknown, expected: unknown): Verdict {
  const { keywords } = answer(output);
  const text = JSON.stringify(input).toLowerCase();
  const invented = keywords.filter((word) => !text.includes(word));
  console.log("keywords:", keywords);
  if (invented.length > 0) return { pass: false, message: `invented: ${invented.join(", ")}` };
  return { pass: true, message: `${keywords.length} words found`, score: 1 };
}

/** Pass when there are no more keywords than `value` says. */
const AtMost = async (output: unknown, _input: unknown, expected: number): Promise<boolean> =>
  answer(output).keywords.length <= expected;
