import { refusalsOf, type OperationForm } from '../../../src/operations/docs/operation-facts.js';

const FORM: OperationForm = {
  method: 'get',
  credential: null,
  recent: false,
  scope: false,
  inPath: false,
  query: [],
  body: [],
  addsData: false,
};
const of = (form: Partial<OperationForm>, own = {}) => refusalsOf({ ...FORM, ...form }, own);
const statuses = (form: Partial<OperationForm>) => Object.keys(of(form)).map(Number);

describe('the refusals of an operation', () => {
  it.each<[string, Partial<OperationForm>, number[]]>([
    ['open to everybody', {}, [503]],
    ['of a session', { credential: 'session' }, [401, 503]],
    ['of any key', { credential: 'api_key' }, [400, 401, 403, 406, 429, 503]],
    ['of a key with a scope', { credential: 'api_key', scope: true }, [400, 401, 403, 406, 429, 503]],
    ['of the operator', { credential: 'operator_token' }, [400, 401, 403, 429, 503]],
    ['of one record', { inPath: true }, [400, 404, 503]],
    ['with options', { query: ['limit'] }, [400, 422, 503]],
    ['with a body', { method: 'put', body: ['application/json'] }, [400, 413, 415, 422, 503]],
    ['that adds data', { addsData: true }, [503, 507]],
    ['with a form', { method: 'post', body: ['application/x-www-form-urlencoded'] }, [400, 413, 415, 503]],
    [
      'that can be repeated',
      { method: 'post', credential: 'api_key' },
      [400, 401, 403, 406, 409, 413, 415, 422, 429, 503],
    ],
  ])('%s', (_, form, expected) => expect(statuses(form)).toEqual(expected));

  it('include its own, each code once', () => {
    const own = { 409: ['slug_taken'], 422: ['invalid_fields'], 400: ['malformed_json'] };
    expect(of({ method: 'post', body: ['application/json'] }, own)).toMatchObject({
      400: ['body_in_crumbs', 'malformed_json', 'malformed_request'],
      409: ['slug_taken'],
      422: ['invalid_fields'],
    });
    expect(of({ method: 'put', body: ['application/json'] }, { 422: [] })[422]).toBeUndefined();
    expect(of({ query: ['cursor', 'limit'] })[400]).toEqual(['repeated_parameter', 'invalid_cursor']);
    expect(of({ query: ['cursor', 'status'] })[400]).toContain('search_too_expensive');
    expect(of({ credential: 'api_key', recent: true })[401]).toContain('sign_in_again');
    expect(of({ credential: 'api_key' })[503]).toEqual(['tenant_busy', 'unavailable', 'secret_unreadable']);
    expect(of({ method: 'patch', credential: 'api_key' })[503]).toContain('record_busy');
    expect(of({ credential: 'api_key' })[503]).not.toContain('record_busy');
  });
});
