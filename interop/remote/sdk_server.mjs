// The official SDK's server, with both transports at one address.
import { once } from "node:events";
import { createServer } from "node:http";

import {
  createNodeHttpHandler,
  createNodeWebSocketUpgradeHandler,
} from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { WebSocketServer } from "ws";

// Its URL.
export async function serve(agent, limits = {}) {
  const server = new AcpServer({ agent, ...limits });
  const listener = createServer(createNodeHttpHandler(server));
  const sockets = new WebSocketServer({ noServer: true });
  listener.on("upgrade", createNodeWebSocketUpgradeHandler(server, sockets));
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  return `http://127.0.0.1:${listener.address().port}/acp`;
}
