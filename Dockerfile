# Built in one stage, run in another: the image holds what runs and nothing that builds.
# A release pins the base image, so that the same source gives the same image:
#   docker build --build-arg BASE_DIGEST=@sha256:<digest> .
# `docker buildx imagetools inspect node:24-bookworm-slim` prints the digest. Without it the tag of today is taken.
ARG BASE_DIGEST=

FROM node:24-bookworm-slim${BASE_DIGEST} AS build
WORKDIR /app
COPY package.json package-lock.json .swcrc tsconfig.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY scripts/bundle.mjs scripts/build-web.mjs ./scripts/
COPY src ./src
COPY web ./web
COPY docs ./docs
RUN npx swc src -d dist --strip-leading-paths --extensions .ts --copy-files --quiet && node scripts/bundle.mjs && node scripts/build-web.mjs && npm prune --omit=dev --omit=optional --ignore-scripts
# Whatever the checkout's file modes are: everybody reads, nobody but root writes.
RUN chmod -R u=rwX,go=rX node_modules dist docs web/dist

FROM node:24-bookworm-slim${BASE_DIGEST}
# TALENT_BRIDGE_URL is for the command line: inside the container it asks this process, not the public address.
ENV NODE_ENV=production DATA_DIR=/data PORT=3000 TALENT_BRIDGE_URL=http://127.0.0.1:3000 MALLOC_ARENA_MAX=2
WORKDIR /app
# The files belong to root and the service runs as `node`: a hole in the service cannot change the program. It writes to
# /data alone, so the container runs with a read-only root file system.
RUN mkdir /data && chown node:node /data && chmod 0700 /data
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --chmod=0444 package.json LICENSE ./
COPY --from=build /app/docs ./docs
COPY --from=build /app/web/dist ./web/dist
# `docker compose exec api talent-bridge tenant list`
COPY --chmod=0555 bin/talent-bridge.mjs ./bin/talent-bridge.mjs
RUN ln -s /app/bin/talent-bridge.mjs /usr/local/bin/talent-bridge
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD node -e "fetch('http://127.0.0.1:'+process.env.PORT+'/readyz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=8", "--max-old-space-size=1024", "dist/main.js"]
