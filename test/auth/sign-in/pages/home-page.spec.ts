import { deviceOf } from '../../../../src/auth/sign-in/pages/home-page.js';

const MOZILLA = 'Mozilla/5.0';

it.each<[string | null, string]>([
  [
    `${MOZILLA} (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0`,
    'Edge on Windows',
  ],
  [`${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 Version/18.0 Safari/605.1`, 'Safari on macOS'],
  [`${MOZILLA} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`, 'Firefox on Linux'],
  [`${MOZILLA} (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36`, 'Chrome on Android'],
  [`${MOZILLA} (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 CriOS/140 Safari/604.1`, 'Chrome on iOS'],
  [`${MOZILLA} (Windows NT 10.0)`, 'Browser on Windows'],
  ['curl/8.5.0', 'Unknown browser'],
  ['<script>alert(1)</script>', 'Unknown browser'],
  ['', 'Unknown browser'],
  [null, 'Unknown browser'],
  ['x'.repeat(100_000), 'Unknown browser'],
])('%.60s is %s', (userAgent, device) => {
  expect(deviceOf(userAgent)).toBe(device);
});
