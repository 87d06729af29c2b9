import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { RefusalFace } from '../directory-sync/bulk/refusal-face.js';
import { BulkRefusals } from './bulk-refusals.js';
import { SurfaceFilter } from './exception.filter.js';

/** How a failure looks to each audience. Global, because the SCIM door answers bulk operations with the same faces. */
@Global()
@Module({
  providers: [
    SurfaceFilter,
    { provide: APP_FILTER, useExisting: SurfaceFilter },
    { provide: RefusalFace, useClass: BulkRefusals },
  ],
  exports: [SurfaceFilter, RefusalFace],
})
export class SurfacesModule {}
