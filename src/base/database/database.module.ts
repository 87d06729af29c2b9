import { Global, Module, type DynamicModule } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Database } from './database.js';

/** Provides the database. The data source is opened and migrated before Nest starts. */
@Global()
@Module({})
export class DatabaseModule {
  static with(dataSource: DataSource): DynamicModule {
    const providers = [
      { provide: DataSource, useValue: dataSource },
      { provide: Database, useValue: new Database(dataSource) },
    ];
    return { module: DatabaseModule, providers, exports: [DataSource, Database] };
  }

  /** For a preview of the application, which makes no provider. */
  static preview(): DynamicModule {
    const providers = [DataSource, Database];
    return { module: DatabaseModule, providers, exports: providers };
  }
}
