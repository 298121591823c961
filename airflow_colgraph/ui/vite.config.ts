import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// Relative addresses: the page also works below a path, as in Airflow.
export default defineConfig({
  base: "./",
  plugins: [react()],
  build: { outDir: "dist", assetsInlineLimit: 0, chunkSizeWarningLimit: 2000, license: { fileName: "licenses.md" } },
  server: { proxy: { "/api": "http://127.0.0.1:8765" } },
});
