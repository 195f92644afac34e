/** The answer to a question, asked once for each key; a failure is an answer too. */
export function once<K, T>(answers: Map<K, Promise<T>>, key: K, ask: () => Promise<T>): Promise<T> {
  const known = answers.get(key);
  if (known !== undefined) return known;
  const answer = ask();
  answers.set(key, answer);
  return answer;
}
