import { helpUrlProblem } from '../../../src/tenancy/tenants/help-url.rules.js';

it.each(['https://help.example.com/sign-in', 'mailto:it@example.com'])('takes %s', (url) => {
  expect(helpUrlProblem(url)).toBeNull();
});

it.each([
  'http://help.example.com',
  'javascript:alert(1)',
  'mailto:nothing',
  'https://user:secret@help.example.com',
  `https://help.example.com/${'a'.repeat(2_048)}`,
  'help',
  7,
])('refuses %s', (url) => {
  expect(helpUrlProblem(url)).toMatch(/^must /);
});
