/** A part of an environment: what may be read in any answer, and what must not. */
export interface Part {
  readonly ordinary?: Readonly<Record<string, string>>
  readonly secret?: Readonly<Record<string, string>>
}

/** Where the process runs. */
const PLACES: Readonly<Record<string, Part>> = {
  'a Linux shell': {
    ordinary: {
      ...{
        HOME: '/home/jane',
        USER: 'jane',
        LOGNAME: 'jane',
        SHELL: '/bin/bash',
        LANG: 'en_US.UTF-8',
        SHLVL: '1',
      },
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      ...{
        TERM: 'xterm-256color',
        COLORTERM: 'truecolor',
        EDITOR: 'vim',
        PAGER: 'less',
        LESSOPEN: '| /usr/bin/lesspipe %s',
      },
      ...{
        SSH_AUTH_SOCK: '/run/user/1000/keyring/ssh',
        SSH_AGENT_PID: '2311',
        SSH_KEY_PATH: '/home/jane/.ssh/id_ed25519',
      },
      ...{ SSH_CONNECTION: '10.0.2.2 51234 10.0.2.15 22', SSH_TTY: '/dev/pts/0' },
      ...{ PASSWORD_STORE_DIR: '/home/jane/.password-store', PASSWORD_STORE_GENERATED_LENGTH: '25' },
      ...{
        PASSWORD_STORE_KEY: 'jane.doe@example.org',
        GPG_TTY: '/dev/pts/0',
        LESSKEYIN_SYSTEM: '/etc/syslesskey',
      },
    },
  },
  'a Linux desktop': {
    ordinary: {
      ...{
        XDG_SESSION_TYPE: 'wayland',
        XDG_RUNTIME_DIR: '/run/user/1000',
        XDG_CURRENT_DESKTOP: 'ubuntu:GNOME',
      },
      ...{
        XDG_DATA_DIRS: '/usr/share/ubuntu:/usr/local/share/:/usr/share/',
        XDG_CONFIG_HOME: '/home/jane/.config',
      },
      ...{
        DESKTOP_SESSION: 'ubuntu',
        GNOME_KEYRING_CONTROL: '/run/user/1000/keyring',
        XKB_DEFAULT_LAYOUT: 'de',
      },
      ...{
        DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus',
        DISPLAY: ':0',
        WAYLAND_DISPLAY: 'wayland-0',
      },
      ...{
        XMODIFIERS: '@im=ibus',
        QT_ACCESSIBILITY: '1',
        KEY_THEME: 'Emacs-Bindings',
        XAUTHORITY: '/run/user/1000/gdm/Xauthority',
      },
    },
  },
  'a Mac': {
    ordinary: {
      ...{
        HOME: '/Users/jane',
        TMPDIR: '/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/',
        SHELL: '/bin/zsh',
      },
      ...{
        __CF_USER_TEXT_ENCODING: '0x1F5:0x0:0x0',
        XPC_FLAGS: '0x0',
        XPC_SERVICE_NAME: '0',
        COMMAND_MODE: 'unix2003',
      },
      ...{
        SSH_AUTH_SOCK: '/private/tmp/com.apple.launchd.K4x8bQ2fTz/Listeners',
        TERM_PROGRAM: 'Apple_Terminal',
      },
      ...{
        TERM_SESSION_ID: 'w0t0p0:5B0C6A4E-2D4A-4B9B-9A51-0DBA3F1D9C11',
        __CFBundleIdentifier: 'com.apple.Terminal',
      },
      ...{
        HOMEBREW_PREFIX: '/opt/homebrew',
        HOMEBREW_CELLAR: '/opt/homebrew/Cellar',
        SECURITYSESSIONID: '186a8',
      },
      SSH_KEY_FILE: '/Users/jane/.ssh/id_ed25519',
    },
    secret: { HOMEBREW_GITHUB_API_TOKEN: 'ghp_4fGh7Kq2Zt9LmNp3Rs6Vw8Xy1Bc5Df0HjTa' },
  },
  'a systemd service': {
    ordinary: {
      ...{
        INVOCATION_ID: '5f0c7d2b8e7a4c1f9d3e6b2a1c4d8f70',
        JOURNAL_STREAM: '8:30214',
        SYSTEMD_EXEC_PID: '4711',
      },
      ...{ CREDENTIALS_DIRECTORY: '/run/credentials/agent.service', RUNTIME_DIRECTORY: '/run/agent' },
      ...{
        NOTIFY_SOCKET: '/run/systemd/notify',
        MEMORY_PRESSURE_WATCH: '/sys/fs/cgroup/system.slice/agent.service/memory.pressure',
      },
      ...{ STATE_DIRECTORY: '/var/lib/agent', LISTEN_FDNAMES: 'agent.socket', WATCHDOG_USEC: '30000000' },
    },
  },
  'the image of Node': {
    ordinary: {
      ...{
        NODE_VERSION: '24.21.0',
        YARN_VERSION: '1.22.22',
        HOSTNAME: '3f2c1b7a9d04',
        NODE_ENV: 'production',
      },
      ...{
        NODE_OPTIONS: '--max-old-space-size=512',
        npm_config_user_agent: 'npm/11.4.2 node/v24.21.0 linux x64',
      },
      ...{ npm_lifecycle_event: 'start', npm_package_name: 'agent-task-service', INIT_CWD: '/app' },
      ...{
        NODE_EXTRA_CA_CERTS: '/etc/ssl/corp.pem',
        SSL_KEY: './certs/server.key',
        TLS_KEY_FILE: '/tls/tls.key',
      },
    },
  },
  'the image of Python': {
    ordinary: {
      ...{ PYTHON_VERSION: '3.13.7', PYTHON_PIP_VERSION: '25.2', LANG: 'C.UTF-8', PYTHONUNBUFFERED: '1' },
      ...{
        PYTHON_SHA256: '5462f9099dfd30e238def83c71d91897d8caa5ff6ebc7a50f14d4802cdaaa79a',
        PIP_NO_CACHE_DIR: '1',
      },
      PASSWORD_HASHER: 'django.contrib.auth.hashers.Argon2PasswordHasher',
    },
    // A fingerprint, but nothing tells it from a key.
    secret: { GPG_KEY: 'E3FF2839C048B25C084DEBE9B26995E310250568' },
  },
  nvm: {
    ordinary: {
      ...{
        NVM_DIR: '/home/jane/.nvm',
        NVM_BIN: '/home/jane/.nvm/versions/node/v24.21.0/bin',
        NVM_CD_FLAGS: '',
      },
      ...{ NVM_INC: '/home/jane/.nvm/versions/node/v24.21.0/include/node', NVM_RC_VERSION: 'lts/krypton' },
      ...{
        PYENV_ROOT: '/home/jane/.pyenv',
        VIRTUAL_ENV: '/home/jane/venv',
        CONDA_DEFAULT_ENV: 'base',
        GOPATH: '/home/jane/go',
      },
    },
  },
  'a Windows subsystem': {
    ordinary: {
      ...{
        WSL_DISTRO_NAME: 'Ubuntu-24.04',
        WSL_INTEROP: '/run/WSL/8_interop',
        WSLENV: 'WT_SESSION:WT_PROFILE_ID',
      },
      ...{ WT_SESSION: '0f3a2c1b-7d6e-4a5b-8c9d-1e2f3a4b5c6d', PULSE_SERVER: 'unix:/mnt/wslg/PulseServer' },
      ...{ SIGNING_KEY: 'C:\\Users\\Jane\\keys\\signing.pfx', NAME: 'DESKTOP-4711' },
    },
  },
  'a virtual machine of AWS': {
    ordinary: {
      ...{
        AWS_REGION: 'eu-central-1',
        AWS_DEFAULT_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
      },
      ...{ AWS_PROFILE: 'production', AWS_SHARED_CREDENTIALS_FILE: '/home/ec2-user/.aws/credentials' },
      ...{ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials/0a1b2c3d-4e5f-6789-abcd-ef0123456789' },
      ...{ AWS_WEB_IDENTITY_TOKEN_FILE: '/var/run/secrets/eks.amazonaws.com/serviceaccount/token' },
      AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1/credentials',
      KMS_KEY: 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab',
    },
    secret: {
      AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      AWS_SESSION_TOKEN: 'IQoJb3JpZ2luX2VjEJr//////////wEaDGV1LWNlbnRyYWwtMSJHMEUCIQD9k2l3',
    },
  },
  'a container of Azure': {
    ordinary: {
      ...{
        AZURE_CLIENT_ID: '9f0e1d2c-3b4a-5968-7786-95a4b3c2d1e0',
        AZURE_TENANT_ID: '11112222-3333-4444-5555-666677778888',
      },
      ...{
        AZURE_TOKEN_CREDENTIALS: 'DefaultAzureCredential',
        AZURE_FEDERATED_TOKEN_FILE: '/var/run/secrets/azure/tokens/azure-identity-token',
      },
      ...{
        IDENTITY_ENDPOINT: 'http://169.254.131.2:8081/msi/token',
        AZURE_KEY_VAULT_NAME: 'kv-agents-prod-001',
      },
      ...{ KEY_VAULT: 'https://kv-agents-prod.vault.azure.net/', WEBSITE_SITE_NAME: 'agent-prod' },
    },
    secret: { AZURE_CLIENT_SECRET: 'Q8z8Q~9hYt3PqLx2vKc7WmRn5BdFs1GjTa4Ue' },
  },
  'a container of Google': {
    ordinary: {
      ...{
        K_SERVICE: 'agent',
        K_REVISION: 'agent-00042-kex',
        K_CONFIGURATION: 'agent',
        GOOGLE_CLOUD_PROJECT: 'agents-prod-4711',
      },
      ...{
        GOOGLE_APPLICATION_CREDENTIALS: '/secrets/service-account.json',
        CLOUD_RUN_EXECUTION: 'job-x7k2p',
      },
      ...{ GCE_METADATA_HOST: 'metadata.google.internal', CLOUDSDK_CONFIG: '/root/.config/gcloud' },
    },
    secret: { GOOGLE_API_KEY: 'AIzaSyD4f7Gh2Jk9LmQ3pRs6TvWx8Yz1Bc5De0F' },
  },
  Heroku: {
    ordinary: {
      DYNO: 'web.1',
      SECRET_STORE: 'aws-secrets-manager',
      WEB_CONCURRENCY: '2',
      SOURCE_VERSION: '0f4c9a1',
    },
    secret: { SECRET_KEY_BASE: '8d0f2b6e4a9c1753f8e2d4b6a0c9e7f15b3d' },
  },
}

/** What started it. */
const STARTERS: Readonly<Record<string, Part>> = {
  nobody: {},
  'GitHub Actions': {
    ordinary: {
      ...{ CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_ACTOR: 'octocat', GITHUB_REPOSITORY: 'octo-org/agent' },
      ...{
        GITHUB_SHA: 'ffac537e6cbbf934b08745a378932722df287a53',
        GITHUB_REF: 'refs/heads/main',
        GITHUB_RUN_ID: '16588023417',
      },
      ...{
        GITHUB_WORKFLOW_REF: 'octo-org/agent/.github/workflows/ci.yml@refs/heads/main',
        RUNNER_OS: 'Linux',
      },
      ...{
        GITHUB_API_URL: 'https://api.github.com',
        GITHUB_ENV: '/home/runner/work/_temp/_runner_file_commands/set_env_87',
      },
      ACTIONS_ID_TOKEN_REQUEST_URL:
        'https://pipelines.actions.githubusercontent.com/4f2/idtoken?api-version=2.0',
      CACHE_KEY: 'node-modules-linux',
    },
    secret: {
      GITHUB_TOKEN: 'ghs_16C7e42F292c6912E7710c838347Ae178B4a',
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJyZXBvIn0.c2lnbmF0dXJlLW9m',
    },
  },
  GitLab: {
    ordinary: {
      ...{ GITLAB_CI: 'true', CI_JOB_ID: '7654321098', CI_JOB_NAME: 'test', CI_COMMIT_SHORT_SHA: '1ecfd275' },
      ...{
        CI_REGISTRY: 'registry.gitlab.com',
        CI_REGISTRY_USER: 'gitlab-ci-token',
        CI_REGISTRY_IMAGE: 'registry.gitlab.com/octo/agent',
      },
      ...{
        CI_SERVER_URL: 'https://gitlab.com',
        CI_SERVER_VERSION: '18.4.1-ee',
        CI_SERVER_TLS_KEY_FILE: '/builds/octo/agent.tmp/CI_SERVER_TLS_KEY_FILE',
      },
      ...{
        CI_PIPELINE_SOURCE: 'merge_request_event',
        CI_PROJECT_DIR: '/builds/octo/agent',
        CI_API_V4_URL: 'https://gitlab.com/api/v4',
      },
    },
    secret: {
      CI_JOB_TOKEN: 'glcbt-64_x7Kq2Zt9LmNp3Rs6Vw8Xy',
      CI_REGISTRY_PASSWORD: 'glcbt-64_a7Kq2Zt9LmNp3Rs6Vw8Xy',
    },
  },
  Jenkins: {
    ordinary: {
      ...{
        JENKINS_URL: 'https://jenkins.corp.example/',
        BUILD_NUMBER: '1042',
        JOB_NAME: 'agent/main',
        EXECUTOR_NUMBER: '3',
      },
      ...{
        BUILD_TAG: 'jenkins-agent-main-1042',
        GIT_BRANCH: 'origin/main',
        JENKINS_HOME: '/var/jenkins_home',
      },
      ...{
        CREDENTIALS_ID: 'deploy-key-of-the-cluster',
        NODE_LABELS: 'built-in linux docker',
        SSH_KEY_TYPE: 'ed25519',
      },
    },
  },
  Docker: {
    ordinary: {
      ...{
        DOCKER_HOST: 'tcp://docker:2376',
        DOCKER_TLS_CERTDIR: '/certs',
        DOCKER_CONFIG: '/root/.docker',
        BUILDKIT_PROGRESS: 'plain',
      },
      ...{ COMPOSE_PROJECT_NAME: 'agent', DOCKER_CREDENTIALS: 'desktop-credential-helper' },
      ...{
        POSTGRES_PASSWORD: 'mysecretpassword',
        MYSQL_ROOT_PASSWORD: 'my-secret-pw',
        MYSQL_ALLOW_EMPTY_PASSWORD: 'yes',
      },
      ...{
        POSTGRES_PASSWORD_FILE: '/run/secrets/postgres-password',
        KEY: '$(SIGNING_KEY)',
        CONNECT_KEY_CONVERTER: 'org.apache.kafka.connect.json.JsonConverter',
      },
    },
  },
  pm2: {
    ordinary: {
      ...{
        PM2_HOME: '/home/jane/.pm2',
        pm_id: '0',
        exec_mode: 'cluster_mode',
        unique_id: '0a1b2c3d-4e5f-6789-abcd-ef0123456789',
      },
      PASSWORD_RULES: 'letters and digits',
    },
  },
}

/** Kubernetes' links to a service. */
function linksTo(service: string, ip: string, port: number): Record<string, string> {
  const address = `tcp://${ip}:${port}`
  return {
    [`${service}_SERVICE_HOST`]: ip,
    [`${service}_SERVICE_PORT`]: String(port),
    [`${service}_SERVICE_PORT_HTTP`]: String(port),
    [`${service}_PORT`]: address,
    [`${service}_PORT_${port}_TCP`]: address,
    [`${service}_PORT_${port}_TCP_PROTO`]: 'tcp',
    [`${service}_PORT_${port}_TCP_PORT`]: String(port),
    [`${service}_PORT_${port}_TCP_ADDR`]: ip,
  }
}

/** What is beside it. */
const NEIGHBOURS: readonly Part[] = [
  { ordinary: linksTo('KUBERNETES', '10.96.0.1', 443) },
  {
    ordinary: {
      ...linksTo('TOKEN_SERVICE', '10.0.171.239', 8080),
      ...linksTo('SECRET_KEY', 'fd00:10:96::7d0a', 8200),
    },
  },
  {
    ordinary: {
      DATABASE_URL: 'postgres://postgres:postgres@localhost:5432/test',
      ...linksTo('PASSWORD', '10.3.240.12', 6379),
    },
    secret: { SESSION_SECRET: 'f7Kd93mQz0Xw51Lp' },
  },
  {
    ordinary: {
      REDIS_ADDRESS: 'redis://redis-master:6379/0',
      RABBITMQ_URL: 'amqp://guest:guest@rabbitmq:5672',
      CREDENTIALS: 'redis-master:6379',
    },
    secret: { redis_password: 'mQ93-kd7z-Xw51' },
  },
  {
    ordinary: {
      PARTITION_KEY: 'customer_region',
      SORT_KEY: 'created_at',
      ROUTING_KEY: 'orders.created',
      TOKEN_ISSUER: 'https://login.corp.example/',
    },
    secret: { MONGO_PASSWORD: 'correct-horse-battery-staple' },
  },
]

/** 300 environments: every place, each with one starter and one set of neighbours, in all combinations up to that number. */
export function ordinaryEnvironments(): { readonly name: string; readonly part: Required<Part> }[] {
  const all = Object.entries(PLACES).flatMap(([place, one]) =>
    Object.entries(STARTERS).flatMap(([starter, two]) =>
      NEIGHBOURS.map((three, at) => ({
        name: `${place}, started by ${starter}, neighbours ${at}`,
        part: {
          ordinary: { ...one.ordinary, ...two.ordinary, ...three.ordinary },
          secret: { ...one.secret, ...two.secret, ...three.secret },
        },
      })),
    ),
  )
  return all.slice(0, 300)
}
