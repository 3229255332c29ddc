import{k as o}from"/assets/part-7KYUFKAF.js";var a=o(!1);export{a};
