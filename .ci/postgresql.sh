# Sourced by run: Debian's PostgreSQL as a server of its own, for tests that compare databases.

# Starts a fresh cluster below a temporary folder, on a free port of this machine, as a user without rights; exports its
# URL for the tests and ends and removes it all when the shell ends.
start_postgresql() {
  local bin password port
  bin=$(postgresql_bin)
  if [ -z "$bin" ]; then
    install_postgresql
    bin=$(postgresql_bin)
  fi
  postgresql_folder=$(mktemp -d)
  trap stop_postgresql EXIT
  password=$(head -c 12 /dev/urandom | od -An -tx1 | tr -d ' \n')
  printf '%s' "$password" >"$postgresql_folder/password"
  if [ "$(id -u)" = 0 ]; then chown -R postgres "$postgresql_folder"; fi
  chmod 700 "$postgresql_folder"
  as_postgres "$bin/initdb" -D "$postgresql_folder/data" -U gangplan --auth-host=scram-sha-256 --auth-local=trust \
    --pwfile="$postgresql_folder/password" --encoding=UTF8 --locale=C.UTF-8 --no-sync >/dev/null
  port=$(.venv/bin/python -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  as_postgres "$bin/pg_ctl" -D "$postgresql_folder/data" -l "$postgresql_folder/log" -w -t 30 \
    -o "-c listen_addresses=127.0.0.1 -p $port -k $postgresql_folder -c fsync=off" start >/dev/null ||
    { cat "$postgresql_folder/log" >&2; return 1; }
  export GANGPLAN_TEST_POSTGRES="postgresql://gangplan:$password@127.0.0.1:$port/postgres"
}

stop_postgresql() {
  local bin
  bin=$(postgresql_bin)
  as_postgres "$bin/pg_ctl" -D "$postgresql_folder/data" -m immediate -w stop >/dev/null 2>&1 || true
  rm -rf "$postgresql_folder"
}

postgresql_bin() {
  find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -1
}

# Without the cluster and the service that the package would set up.
install_postgresql() {
  local settings=/etc/postgresql-common/createcluster.conf
  if [ ! -e "$settings" ]; then
    mkdir -p "${settings%/*}"
    echo "create_main_cluster = false" >"$settings"
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-confold \
    postgresql >/dev/null
}

# The server refuses to run as root.
as_postgres() {
  if [ "$(id -u)" = 0 ]; then
    (cd / && runuser -u postgres -- "$@")
  else
    "$@"
  fi
}
