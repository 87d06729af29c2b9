import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A table that is written to and rolled back, to see whether a disk that was full has room again. It is always empty. */
export class StorageProbe1767227020000 implements MigrationInterface {
  name = 'StorageProbe1767227020000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`create table storage_probe (filler text not null)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table storage_probe`);
  }
}
