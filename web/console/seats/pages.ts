export { SeatsPage } from './seats-page.js';
