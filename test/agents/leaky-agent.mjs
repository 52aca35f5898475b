// Says its whole environment on both streams before it answers like the panel's agent.
process.stderr.write(`${JSON.stringify(process.env)}\n`);
process.stdout.write(`I was given ${Object.values(process.env).join(' ')}\n`);
await import('./panel-agent.mjs');
