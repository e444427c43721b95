/**
 * Have console.log and JSON.stringify explain a promise that was printed without `await`. Not part of the types, because nobody should
 * call it.
 */
export function explainForgottenAwait(prototype: object, text: string): void {
  const value = (): string => text;
  for (const name of ['toJSON', Symbol.for('nodejs.util.inspect.custom')])
    Object.defineProperty(prototype, name, { value });
}
