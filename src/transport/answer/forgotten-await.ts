/** Make console.log and JSON.stringify explain a promise that was printed without `await`. The types omit these methods. */
export function explainForgottenAwait(prototype: object, text: string): void {
  const value = (): string => text;
  for (const name of ['toJSON', Symbol.for('nodejs.util.inspect.custom')])
    Object.defineProperty(prototype, name, { value });
}
