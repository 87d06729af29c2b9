import { returnTarget } from '../../../../src/auth/sign-in/requests/return-to.rules.js';

const rules = {
  origin: 'https://bridge.example.com',
  home: 'https://bridge.example.com/',
  allowed: ['https://app.example.com'],
};

it.each([
  [null, { url: rules.home, application: null }],
  ['', { url: rules.home, application: null }],
  ['/jobs?x=1', { url: 'https://bridge.example.com/jobs?x=1', application: null }],
  ['https://bridge.example.com/jobs', { url: 'https://bridge.example.com/jobs', application: null }],
  ['https://app.example.com/x', { url: 'https://app.example.com/x', application: 'https://app.example.com' }],
])('leads %s to its target', (text, target) => {
  expect(returnTarget(text, rules)).toEqual(target);
});

it.each([
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https://evil.example/',
  'https://app.example.com.evil.example/',
  'https://app.example.com@evil.example/',
  'https:evil.example',
  'http://app.example.com/',
  'javascript:alert(1)',
  'data:text/html,x',
  'jobs',
  '/jobs\n',
  '/jo bs',
  `/${'a'.repeat(2048)}`,
])('refuses %j', (text) => {
  expect(returnTarget(text, rules)).toBeNull();
});
