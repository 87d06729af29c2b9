import { invalidFilter, scimErrorBody, ScimRequestError, uniqueness } from '../../../src/protocols/scim/scim.errors.js';

it('makes a SCIM error body with a text as status (RFC 7644 §3.12)', () => {
  expect(scimErrorBody(404, 'No such user.')).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: '404',
    detail: 'No such user.',
  });
  expect(scimErrorBody(400, 'x', 'invalidFilter')).toMatchObject({ status: '400', scimType: 'invalidFilter' });
});

it('has status and scimType', () => {
  expect(invalidFilter('x')).toMatchObject({ status: 400, scimType: 'invalidFilter', detail: 'x', message: 'x' });
  expect(uniqueness('x')).toMatchObject({ status: 409, scimType: 'uniqueness' });
  expect(uniqueness('x')).toBeInstanceOf(ScimRequestError);
});
