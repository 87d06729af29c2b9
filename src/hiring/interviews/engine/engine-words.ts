/** What the states of an interview engine mean for its administrator. */
export const ENGINE_MESSAGES: Readonly<Record<string, string>> = {
  ok: 'The engine takes calls.',
  open: 'The engine is unavailable. Interviews wait, and one call at a time probes it.',
  paused: 'The engine takes no calls: correct the address or the key with PUT, which also sends what waits.',
  no_engine: 'There is no interview engine. Set one, or send meeting_url with each interview.',
  key_unreadable: 'No key of ENCRYPTION_KEY opens the stored key of the engine. Set api_key anew.',
};
