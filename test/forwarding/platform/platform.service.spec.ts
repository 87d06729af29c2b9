import { DEFAULT_SETTINGS, type Destination } from '../../../src/engine/delivery/destination.js';
import { view } from '../../../src/forwarding/platform/platform.service.js';

const destination = {
  state: 'ok',
  key: 'k',
  keyHint: '…k',
  keyUnreadable: false,
  settings: DEFAULT_SETTINGS,
} as Destination;

it.each<[string, Partial<Destination> | null, string]>([
  ['no connection', null, 'no_platform_yet'],
  ['a connection with a key', {}, 'ok'],
  ['a connection without a key', { key: null }, 'no_key_yet'],
  ['a connection whose key cannot be opened', { key: null, keyUnreadable: true }, 'key_unreadable'],
  ['a paused connection without a key', { key: null, state: 'paused' }, 'paused'],
  ['a connection that is away', { state: 'open' }, 'open'],
])('shows the state of %s', (_, more, state) => {
  const shown = view(more === null ? null : { ...destination, ...more });
  expect(shown).toMatchObject({ state, connected: more !== null, timeout_ms: DEFAULT_SETTINGS.timeout_ms });
  expect(JSON.stringify(shown)).not.toContain('"key":');
});
