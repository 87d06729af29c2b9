import { evidenceOf, Secrets } from '../../../../src/cli/doctor/peer/scim-service.js';

describe('evidence', () => {
  const REQUEST = {
    method: 'POST',
    url: 'https://bridge.example/scim/v2/Users',
    headers: { Authorization: 'Bearer x', accept: 'y' },
  };
  const answer = (body: unknown) => ({ status: 200, headers: { 'set-cookie': 'x' }, text: JSON.stringify(body) });

  it('removes credentials from headers, forms and documents', () => {
    const inJson = evidenceOf({
      step: 'create',
      request: { ...REQUEST, body: JSON.stringify({ userName: 'doctor-1', Password: 'secret' }) },
      answer: answer({ id: 'u1', nested: [{ access_token: 'secret' }] }),
    });
    expect(inJson).toEqual({
      step: 'create',
      request: {
        ...REQUEST,
        headers: { Authorization: '(removed)', accept: 'y' },
        body: { userName: 'doctor-1', Password: '(removed)' },
      },
      answer: {
        status: 200,
        headers: { 'set-cookie': '(removed)' },
        body: { id: 'u1', nested: [{ access_token: '(removed)' }] },
      },
    });
    const form = evidenceOf({ step: 't', request: { ...REQUEST, body: 'client_id=c&client_secret=s' }, answer: null });
    expect(form['request']).toMatchObject({ body: { client_id: 'c', client_secret: '(removed)' } });
  });

  it('leaves out records that the run did not make', () => {
    const own = { userName: 'doctor-1@doctor.example' };
    const schema = { id: 'urn:x', name: 'User' };
    const list = answer({ Resources: [own, { userName: 'ann@example.com' }, { displayName: 'Finance' }, schema] });
    expect(evidenceOf({ step: 't', request: REQUEST, answer: list })['answer']).toMatchObject({
      body: {
        Resources: [own, '(a record that this run did not make)', '(a record that this run did not make)', schema],
      },
    });
  });

  it('names the length of a long text', () => {
    const long = { ...answer(''), text: 'x'.repeat(70_000) };
    expect(evidenceOf({ step: 't', request: REQUEST, answer: long })['answer']).toMatchObject({
      body: '(70000 characters)',
    });
  });
});

describe('secrets', () => {
  it('removes a secret in each of its forms, and the longer one of two first', () => {
    const secrets = new Secrets();
    secrets.add('a"b c');
    secrets.add('abcd');
    secrets.add('abcdef');
    secrets.add('');
    const base64 = Buffer.from('a"b c').toString('base64');
    expect(secrets.without(`a"b c|a\\"b c|a%22b%20c|a%22b+c|${base64}|abcdef|abcd|abc`)).toBe(
      `${'(removed)|'.repeat(7)}abc`,
    );
  });
});
