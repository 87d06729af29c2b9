import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Person } from '../identity/person.js';
import type { ChangeSource } from '../identity/source.js';

/** What became of somebody whom the platform has and we did not know. */
export type Intake =
  | { kind: 'created' | 'known'; userId: string }
  /** They cannot be taken in; `reason` says why, for the report. */
  | { kind: 'refused'; reason: string };

/**
 * The port through which people of the platform become people here, without being forwarded. The room that keeps the
 * people implements it.
 */
export abstract class PeopleIntake {
  /** Takes a person in as unmanaged, or finds the record that is theirs already (by `external_id`, then by e-mail). */
  abstract importUnmanaged(
    tenantId: string,
    person: Person,
    status: 'active' | 'inactive',
    platformId: string,
    source: ChangeSource,
  ): Promise<Intake>;
}

/** Finds the room that implements the port, which stands above this one: at the moment of use, and wherever it is. */
@Injectable()
export class IntakeLocator {
  constructor(private readonly modules: ModuleRef) {}

  find(): PeopleIntake | null {
    try {
      return this.modules.get<PeopleIntake>(PeopleIntake, { strict: false });
    } catch {
      return null;
    }
  }
}
