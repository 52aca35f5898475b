/** How spans leave the program. */
export type Protocol = 'http/protobuf' | 'http/json' | 'console';

export type Wanted =
  | { wanted: false }
  | { wanted: true; protocol: Protocol }
  | { wanted: true; unsupported: string };

/**
 * Whether the standard variables ask for traces. Nothing is exported unless an endpoint or an exporter is named; what
 * is named and cannot be done is said instead of being passed over.
 */
export function wantedTelemetry(env: NodeJS.ProcessEnv): Wanted {
  const read = (name: string) => (env[name] ?? '').trim();
  if (read('OTEL_SDK_DISABLED').toLowerCase() === 'true') return { wanted: false };
  const exporter = read('OTEL_TRACES_EXPORTER');
  const endpoint = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || read('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (exporter === 'none' || (exporter === '' && endpoint === '')) return { wanted: false };
  if (exporter === 'console') return { wanted: true, protocol: 'console' };
  if (exporter !== '' && exporter !== 'otlp')
    return { wanted: true, unsupported: `OTEL_TRACES_EXPORTER=${exporter}` };
  // Not named: it may hold a password.
  if (endpoint !== '' && !/^https?:\/\/./i.test(endpoint))
    return { wanted: true, unsupported: 'an endpoint that does not begin with http:// or https://' };
  const protocol =
    read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || read('OTEL_EXPORTER_OTLP_PROTOCOL') || 'http/protobuf';
  if (protocol === 'http/protobuf' || protocol === 'http/json') return { wanted: true, protocol };
  return { wanted: true, unsupported: `OTEL_EXPORTER_OTLP_PROTOCOL=${protocol}` };
}
