import { readIdentityPlace, identityPlaceText } from '../../../../src/auth/sign-in/identities/identities.service.js';

it('reads the place that it wrote', () => {
  const place = { at: '2030-06-01T12:00:00.000001Z', key: 'd41d8cd98f00b204e9800998ecf8427e' };
  expect(readIdentityPlace(identityPlaceText(place))).toEqual(place);
});

it('begins the first page before all others', () => {
  expect(readIdentityPlace(null)).toEqual({ at: 'infinity', key: '' });
});
