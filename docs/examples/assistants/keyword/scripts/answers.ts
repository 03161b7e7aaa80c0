// What checks of the keyword agent share. Types are for the reader: nothing checks them.

export interface Answer {
  keywords: string[];
  counts: Record<string, number>;
  words: number;
}

/** Give the agent's JSON, which is the output itself or stands in its fence. */
export function answer(output: unknown): Answer {
  if (typeof output !== "string") return output as Answer;
  const fence = /```json\n(.*?)\n```/s.exec(output);
  if (fence === null) throw new Error("the output holds no JSON");
  return JSON.parse(fence[1]);
}
