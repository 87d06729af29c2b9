import { AshbySimulator } from './ashby/ashby.js';
import type { SimOptions } from './core/simulator.js';
import { GreenhouseSimulator } from './greenhouse/greenhouse.js';
import { LeverSimulator } from './lever/lever.js';
import { ZohoRecruitSimulator } from './zoho-recruit/zoho-recruit.js';

export { AshbySimulator } from './ashby/ashby.js';
export { GreenhouseSimulator } from './greenhouse/greenhouse.js';
export { LeverSimulator } from './lever/lever.js';
export { ZohoRecruitSimulator } from './zoho-recruit/zoho-recruit.js';
export { Simulator, type SimOptions } from './core/simulator.js';

/** Starts Lever. */
export function startLever(options: SimOptions = {}): Promise<LeverSimulator> {
  return LeverSimulator.start(options);
}

/** Starts Greenhouse. */
export function startGreenhouse(options: SimOptions = {}): Promise<GreenhouseSimulator> {
  return GreenhouseSimulator.start(options);
}

/** Starts Ashby. */
export function startAshby(options: SimOptions = {}): Promise<AshbySimulator> {
  return AshbySimulator.start(options);
}

/** Starts Zoho Recruit. */
export function startZohoRecruit(options: SimOptions = {}): Promise<ZohoRecruitSimulator> {
  return ZohoRecruitSimulator.start(options);
}
