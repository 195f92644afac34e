#!/usr/bin/env bash
# The mirror and nginx in front of it as one container: ends when either ends, and passes a stop on to both.
#
# nginx has the container's port, the mirror a port of the loopback address. TLS is nginx's: mount a configuration of
# your own over /etc/ferry/nginx.conf.
set -u

if [ -n "${FERRY_TLS_CERT-}${FERRY_TLS_KEY-}" ]; then
  echo "engine-ferry: here nginx speaks TLS, so FERRY_TLS_CERT and FERRY_TLS_KEY must not be set." >&2
  echo "Mount an nginx.conf with ssl_certificate over /etc/ferry/nginx.conf, or use the image without nginx." >&2
  exit 2
fi

# Seconds between "not ready" and the last connection taken, as the mirror has it without nginx.
delay=${FERRY_DRAIN_DELAY:-0}
case $delay in
  *[!0-9]*)
    echo "engine-ferry: FERRY_DRAIN_DELAY must be whole seconds, not $delay" >&2
    exit 2
    ;;
esac

told=0 # how often to stop
trap 'told=$((told + 1))' TERM INT

# The mirror stays a second longer than nginx takes connections: nobody sees nginx without it.
FERRY_LISTEN=127.0.0.1:8081 FERRY_ACCEL=nginx FERRY_DRAIN_DELAY=$((10#$delay + 1)) node /opt/ferry/dist/server/main.js &
mirror=$!
nginx -e stderr -c /etc/ferry/nginx.conf -g 'daemon off;' &
front=$!

alive() { kill -0 "$mirror" 2>/dev/null || kill -0 "$front" 2>/dev/null; }
# A signal ends a wait early.
[ "$told" != 0 ] || wait -n "$mirror" "$front"
code=$?

if [ "$told" = 0 ]; then
  echo "engine-ferry: the mirror or nginx ended by itself (exit code $code), so both stop" >&2
  kill -TERM "$mirror" "$front" 2>/dev/null
  while alive; do wait "$mirror" "$front"; done
  exit 1
fi

kill -TERM "$mirror" 2>/dev/null
# By the second: a signal that comes just before a wait does not end that wait.
while [ "$told" = 1 ] && [ "$delay" -gt 0 ]; do
  sleep 1 >/dev/null 2>&1 &
  wait "$!"
  delay=$((10#$delay - 1))
done
# Running downloads are finished first.
[ "$told" != 1 ] || kill -QUIT "$front" 2>/dev/null
while alive; do
  # Told a second time: at once.
  [ "$told" = 1 ] || kill -TERM "$mirror" "$front" 2>/dev/null
  wait "$mirror" "$front"
done
exit 0
