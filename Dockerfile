# Build stage: everything the bundler needs. None of it reaches the image.
FROM node:24-slim AS build
WORKDIR /build
# Dependencies first, so that this layer is rebuilt only when they change.
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci --ignore-scripts --no-audit --no-fund
# What .dockerignore lists, and nothing else.
COPY . .
# Taken from the commit by `npx agent image-arguments`, so that every build of it has the same bytes.
ARG REVISION=unknown
ARG SOURCE_DATE_EPOCH
RUN node_modules/.bin/agent build && mkdir image && mv dist image/app

# Final image: the base and the bundle.
FROM node:24-slim
ENV NODE_ENV=production
# Copies the folder too: one created here would carry the current time and change the layer.
COPY --from=build /build/image/ /
WORKDIR /app
# The base's user `node`, by number, since Kubernetes can only verify that a number is not root.
USER 1000:1000
EXPOSE 8080
# http.get takes a third of fetch's processor time. This needs an answer from the process, not just an open port.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "require('node:http').get('http://127.0.0.1:8080/health', r => process.exit(r.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# The base's entry point is a shell script. Without it, node is process 1 and receives SIGTERM itself.
ENTRYPOINT []
# The process may read its own folder, write nowhere and load no addons. It drops the permission to start programs as soon
# as it has read its settings: packages/engine/process/permissions.ts. The disabled warning is about that permission.
CMD ["node", "--permission", "--allow-fs-read=/app", "--allow-child-process", \
  "--disable-warning=PERM0002", "main.js"]
ARG VERSION=0.2.0
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
