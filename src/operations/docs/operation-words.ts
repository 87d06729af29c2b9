import type { Operation } from './operation-facts.js';
import { bodyExample } from './body-examples.js';
import { parameterText } from './parameter-texts.js';
import { tagName } from './tags.js';

interface Described {
  readonly name: string;
  readonly in: string;
  description?: string;
}

/**
 * Adds to an operation what a reader needs and decorators have not said: the name of its group, a description for each
 * parameter, an example for each body.
 *
 * @param path the address, with parameters in braces
 * @param method in lower case
 */
export function tellWords(path: string, method: string, operation: Operation): void {
  const address = `${method.toUpperCase()} ${path}`;
  operation.tags = (operation.tags ?? []).map(tagName);
  for (const parameter of (operation.parameters ?? []) as Described[]) {
    const text = parameter.description ? undefined : parameterText(address, parameter.in, parameter.name);
    if (text !== undefined) parameter.description = text;
  }
  const { content = {} } = (operation.requestBody ?? {}) as {
    content?: Record<string, { schema?: object; example?: unknown }>;
  };
  for (const media of Object.values(content)) {
    const example = bodyExample(address, media.schema);
    if (example !== undefined) media.example ??= example;
  }
}
