import { Ajv2020 } from 'ajv/dist/2020.js';
import { EVENT_NAMES, EVENTS } from '../../../src/engine/events/catalogue.js';

const ajv = new Ajv2020({ strict: true, formats: { 'date-time': (text: string) => !Number.isNaN(Date.parse(text)) } });

describe.each(EVENT_NAMES)('the event %s', (name) => {
  const kind = EVENTS[name];

  it('has an example that its schema accepts', () => {
    const validate = ajv.compile(kind.schema);
    expect([validate(kind.example), validate.errors]).toEqual([true, null]);
  });

  it('has a schema that refuses a property it does not name, and an empty object', () => {
    const validate = ajv.compile(kind.schema);
    expect(validate({ ...kind.example, surprise: 1 })).toBe(false);
    expect(validate({})).toBe(false);
  });

  it('has the next step in one line', () => {
    expect(kind.runbook).toMatch(/^[A-Z].{20,140}\.$/);
  });
});
