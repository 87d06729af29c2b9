import { Moment, Text } from '../../../src/base/http/fields.js';
import { ChangeType, PutType, ShownType } from '../../../src/base/http/shown.js';
import { readBody } from '../../../src/base/http/validate.js';

class Create {
  @Text({ max: 20, example: 'Zoë' })
  name!: string;
  @Text({ max: 20, optional: true, nullable: true })
  title?: string | null;
  @Moment({ optional: true })
  at?: Date;
  @Text({ max: 20 })
  external_id!: string;
}
class Change extends ChangeType(Create) {}
class Put extends PutType(Create) {}
class Shown extends ShownType(Create, ['name', 'title', 'at']) {}

it.each([
  [{}, undefined],
  [{ title: null }, undefined],
  [{ name: ' Zoë ' }, undefined],
  [{ name: null }, 'must be text'],
  [{ name: 'x'.repeat(21) }, 'must have at most 20 characters'],
  [{ at: null }, 'must be a time such as 2026-01-31T12:00:00Z'],
])('a change: %j', (body, message) => {
  if (message === undefined)
    expect(readBody(Change, body)).toEqual({ ...body, ...('name' in body ? { name: 'Zoë' } : {}) });
  else
    expect(() => readBody(Change, body)).toThrow(
      expect.objectContaining({ extras: { errors: [expect.objectContaining({ message })] } }),
    );
});

it('a put needs all but the key, which is in the address', () => {
  expect(readBody(Put, { name: 'Zoë', external_id: null })).toEqual({ name: 'Zoë', external_id: null });
  expect(() => readBody(Put, {})).toThrow();
});

it('an answer has each field, without the limits of the request', () => {
  const property = (name: string): unknown => Reflect.getMetadata('swagger/apiModelProperties', Shown.prototype, name);
  expect(property('name')).toMatchObject({ type: String, required: true, example: 'Zoë' });
  expect(property('name')).not.toHaveProperty('maxLength');
  expect(property('title')).toMatchObject({ required: true, nullable: true });
  expect(property('at')).toMatchObject({ format: 'date-time' });
});
