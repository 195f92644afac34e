# The mirror as an image, with the whole command line in it:
#   docker build -t engine-ferry:0.1.0 .                              the mirror alone
#   docker build -t engine-ferry:0.1.0-nginx --target nginx .         nginx in front of it, which moves the bytes
#   docker run … engine-ferry:0.1.0 ferry import /inbox/site-a.tar --key /keys/site.pub
# docs/deploy.md has the rest. NODE_IMAGE is any Debian-based image with Node 20.19 or newer and npm.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# Readable by the image's user, whatever the umask of the checkout was.
RUN npm run build \
  && npm prune --omit=dev \
  && mkdir -p /opt/ferry/deploy \
  && mv bin bundles dist node_modules package.json /opt/ferry/ \
  && mv deploy/healthcheck.mjs deploy/nginx-entry.sh deploy/nginx.conf /opt/ferry/deploy/ \
  && chmod -R u=rwX,go=rX /opt/ferry \
  && chmod 755 /opt/ferry/bin/ferry.mjs /opt/ferry/deploy/nginx-entry.sh

FROM ${NODE_IMAGE} AS mirror
LABEL org.opencontainers.image.title="engine-ferry" \
  org.opencontainers.image.description="Serves LLM inference engines behind an air gap, from signed bundles" \
  org.opencontainers.image.licenses="Apache-2.0"
# What runs here needs Node alone, so what would fetch more of the world goes. The user is a number in the image's
# config, for Kubernetes' runAsNonRoot, and has a name for people.
RUN prefix="$(dirname "$(dirname "$(command -v node)")")" \
  && rm -rf "$prefix/lib/node_modules" /opt/yarn-* \
  && for name in npm npx corepack yarn yarnpkg; do rm -f "$prefix/bin/$name"; done \
  && echo 'ferry:x:10001:' >>/etc/group \
  && echo 'ferry:x:10001:10001:engine-ferry:/nonexistent:/usr/sbin/nologin' >>/etc/passwd \
  && mkdir /store && chown 10001:10001 /store \
  && ln -s /opt/ferry/bin/ferry.mjs /usr/local/bin/ferry
COPY --from=build /opt/ferry /opt/ferry
ENV NODE_ENV=production FERRY_LISTEN=:8080 FERRY_STORE=/store
VOLUME /store
EXPOSE 8080
USER 10001:10001
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["node", "/opt/ferry/deploy/healthcheck.mjs"]
# No ENTRYPOINT, so that `docker run IMAGE ferry …` is the command line.
CMD ["node", "/opt/ferry/dist/server/main.js"]

FROM mirror AS nginx
USER 0:0
RUN apt-get update \
  && apt-get install -y --no-install-recommends nginx-light \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
  && mkdir /etc/ferry \
  && sed 's#/var/lib/ferry/blobs/#/store/blobs/#' /opt/ferry/deploy/nginx.conf >/etc/ferry/nginx.conf \
  && grep -q 'alias /store/blobs/;' /etc/ferry/nginx.conf
USER 10001:10001
CMD ["/opt/ferry/deploy/nginx-entry.sh"]

# Without --target: the mirror.
FROM mirror
