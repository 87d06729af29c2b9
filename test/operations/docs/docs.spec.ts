import { Ajv2020 } from 'ajv/dist/2020.js';
import { EVENT_NAMES, EVENTS } from '../../../src/engine/events/catalogue.js';
import { webhookSection } from '../../../src/operations/docs/docs.js';

interface Described {
  post: { requestBody: { content: { 'application/json': { schema: object; example: Record<string, unknown> } } } };
}

const ajv = new Ajv2020({ strict: true, formats: { 'date-time': (text: string) => !Number.isNaN(Date.parse(text)) } });
const section = webhookSection() as Record<string, Described>;

it('describes every event of the catalogue, and no other one', () => {
  expect(Object.keys(section)).toEqual(EVENT_NAMES);
});

it.each(EVENT_NAMES)('describes the body of %s by a schema that accepts its example and no other event', (name) => {
  const { schema, example } = section[name]!.post.requestBody.content['application/json'];
  const validate = ajv.compile(schema);
  expect([validate(example), validate.errors]).toEqual([true, null]);
  expect(example['data']).toEqual(EVENTS[name].example);
  expect(validate({ ...example, event: 'another' })).toBe(false);
  expect(validate({ ...example, data: {} })).toBe(false);
});
