// npm_client.mjs CALLS IN_FLIGHT COMMAND…: what bench/mcp/mcp_client.cc does, on the npm SDK.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [calls, inFlight, command, ...args] = process.argv.slice(2);
const cpu = () => { const used = process.cpuUsage(); return (used.user + used.system) / 1e6; };
// From the start of the process: loading the SDK is part of starting.
const now = () => performance.now() / 1000;

const client = new Client({ name: 'bench', version: '1' });
await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
const { tools } = await client.listTools();
const start = now(), startCpu = cpu();
const run = async (count) => {
  for (let i = 0; i < count; i++) {
    const result = await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
    if (result.isError || result.content.length !== 1) throw new Error('no echo');
  }
};
await Promise.all(Array.from({ length: inFlight }, () => run(Math.floor(calls / inFlight))));
const time = now() - start;
console.log(JSON.stringify({ tools: tools.length, start, startCpu, time, cpu: cpu() - startCpu }));
process.exit(0);
