import { isSecretName, withoutSecretsInText } from '../../../src/overview/requests/secret-names.rules.js';

it.each(['password', 'userPwd', 'passphrase', 'pin', 'smsOtp', 'api_key', 'clientSecret'])(
  'takes %s for a secret',
  (name) => {
    expect(isSecretName(name)).toBe(true);
  },
);

it.each(['shippingAddress', 'spinner', 'displayName', 'emails'])('takes %s for no secret', (name) => {
  expect(isSecretName(name)).toBe(false);
});

it('removes secrets from addresses inside of a text', () => {
  const text = 'see https://ann:hidden@example.com/a?token=abc&page=2';
  expect(withoutSecretsInText(text, '(removed)')).toBe(
    'see https://ann:(removed)@example.com/a?token=(removed)&page=2',
  );
});
