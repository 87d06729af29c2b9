import { userBody } from '../bodies.mjs';
import { scaled } from '../contenders.mjs';
import { latencies, median } from '../load.mjs';

/** A SCIM write while the platform is up, hangs, and is down. */
export async function hangingPlatform(report, { origin, sink, headers, settled }) {
  const writes = async (tag) =>
    median(
      await latencies(origin, 8, scaled(1500), (i) => ({
        method: 'POST',
        headers,
        path: '/scim/v2/Users',
        body: userBody(tag, i),
      })),
    );
  const whileUp = await writes('up');
  await settled();
  sink.mode('hang');
  const whileHanging = await writes('hanging');
  sink.mode('down');
  const whileDown = await writes('down');
  sink.mode('up');
  report.atMost('a SCIM write while the platform hangs, to while it is up', whileHanging / whileUp, null);
  report.atMost('a SCIM write while the platform is down, to while it is up', whileDown / whileUp, null);
}
