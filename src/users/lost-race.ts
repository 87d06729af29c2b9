/** Somebody else changed the row between our reading and our writing: decide again. Never leaves the room. */
export class LostRace extends Error {}
