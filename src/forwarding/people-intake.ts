import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { AccountRefusal } from '../identity/adoption.rules.js';
import type { Person } from '../identity/person.js';
import type { ChangeSource } from '../identity/source.js';

/** Why an account of the platform is left out of an import. */
export type LeftOutReason =
  AccountRefusal | 'email_of_another_user' | 'user_has_another_account' | 'nameless' | 'unreadable' | 'contended';

/** What became of an account that the platform has. */
export type Intake =
  | { kind: 'created' | 'known'; userId: string }
  /** The account is left out; `detail` is a sentence for the report. */
  | { kind: 'left_out'; reason: LeftOutReason; detail: string };

/**
 * The port through which people of the platform become people here, without being forwarded. The room that keeps the
 * people implements it.
 */
export abstract class PeopleIntake {
  /**
   * Takes an account in as an unmanaged user, or finds its user: by `external_id`, else by e-mail as the adoption rule
   * says. Nothing is forwarded.
   */
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
