// Starts `starplat lsp` and lets it serve every `.sp` file.

import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  await start();
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("starplat.server")) {
        await deactivate();
        await start();
      }
    }),
  );
}

export async function deactivate(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function start(): Promise<void> {
  const [command, ...args] = vscode.workspace.getConfiguration("starplat").get<string[]>("server", ["starplat", "lsp"]);
  client = new LanguageClient("starplat", "StarPlat", { command, args }, {
    documentSelector: [{ language: "starplat" }],
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const remedy = "`pip install 'starplat[lsp]'`, or name the command in the setting starplat.server";
    void vscode.window.showErrorMessage(`${command} ${args.join(" ")} does not start: ${error}. Remedy: ${remedy}.`);
  }
}
