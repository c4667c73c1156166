// How a program of these tests talks with the test that started it: lines of JSON.
import { createInterface } from 'node:readline'

export const given = JSON.parse(process.argv[2])
const heard = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

export function tell(message) {
  process.stdout.write(JSON.stringify(message) + '\n')
  if ('result' in message) process.stdin.destroy()
}

// Has the test do something that takes a person, and returns what came of it.
export async function ask(name, value) {
  tell({ ask: name, value })
  return JSON.parse((await heard.next()).value)
}
