import { DeliveryOptions } from '../../../../src/engine/delivery/delivery.options.js';
import { probePause } from '../../../../src/engine/delivery/destination.rules.js';
import { EngineChannel } from '../../../../src/hiring/interviews/engine/engine.channel.js';

const rules = EngineChannel.prototype.rulesOf(new DeliveryOptions());
const seconds = (ms: number) => ms / 1_000;

test('asks an engine that is away at growing pauses of at most five minutes, also for one interview', () => {
  const pauses = Array.from({ length: 10 }, (_, probes) => seconds(probePause(probes, 1, null, rules.probe, 1)));
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
});

test('repeats a call that failed alone at the same pauses', () => {
  const pauses = Array.from({ length: 10 }, (_, failures) => seconds(rules.pause(failures + 1, null, 1)!));
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
});
