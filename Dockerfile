# Build: everything the bundler needs, none of which reaches the image.
FROM node:24-slim AS build
WORKDIR /build
# Dependencies first: this layer is made again only when one of them changes.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts/build.ts scripts/build.ts
COPY scripts/build scripts/build
COPY tools tools
COPY graph graph
COPY src src
# From the commit, so that it gives the same bytes whenever it is built: `node scripts/image-arguments.ts`.
ARG REVISION=unknown
ARG SOURCE_DATE_EPOCH
RUN node scripts/build.ts && mkdir image && mv dist image/app

# Image: the base and the bundle.
FROM node:24-slim
# A run leaves little behind: with V8's usual 16 MB for what is young, garbage of a burst would take most of its memory.
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=12
# The folder itself comes with it: one that is made here would have the time of now.
COPY --from=build /build/image/ /
WORKDIR /app
# The base's user `node`, as a number: Kubernetes can only tell of a number that it is not root.
USER 1000:1000
EXPOSE 8080
# http.get: a third of the processor time of fetch. The process that answers is asked, not its port.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "require('node:http').get('http://127.0.0.1:8080/health', r => process.exit(r.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# The base's entry point is a shell script. Without it node is process 1 and hears SIGTERM itself.
ENTRYPOINT []
# It may read its own folder, write nowhere, load no addons. Starting other programs it gives up by itself as soon as it
# knows its settings: src/permissions.ts. The warnings that it leaves out are about that, and about threads.
CMD ["node", "--permission", "--allow-fs-read=/app", "--allow-worker", "--allow-child-process", \
  "--disable-warning=PERM0002", "--disable-warning=PERM0006", "main.js"]
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG CREATED
ARG LOCKFILE
LABEL org.opencontainers.image.title="agent-task-service" \
  org.opencontainers.image.description="An agent behind POST /run and GET /health: a LangGraph.js state machine served by Hono" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.created="$CREATED" \
  agent-task-service.lockfile="$LOCKFILE" \
  org.opencontainers.image.licenses="LicenseRef-UNLICENSED" \
  org.opencontainers.image.base.name="docker.io/library/node:24-slim"
